import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/checks/catalogue.ts';
import { SHOWN_BY_DEFAULT, withAdvice } from '../../src/cli/fix-advice.ts';
import { inputsOf } from '../../src/manifests/inputs.ts';
import { killBy } from '../../src/probes/grace-period.ts';
import { deadlockToKillSeconds, probeTiming } from '../../src/probes/timing.ts';
import { KNOWN_KINDS } from '../../src/workload/custom-kinds.ts';
import { NOW } from '../now.ts';
import { deploymentWith } from '../checks/workload.ts';
import type { AdvisedText } from '../../src/cli/fix-advice.ts';
import type { Inputs } from '../../src/manifests/inputs.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const heavy = { exec: { command: ['rabbitmq-diagnostics', '-q', 'ping'] } };

/** What `fix --advice` makes of an object, with the flags' defaults. */
function advised(object: JsonObject): AdvisedText & { readonly object: JsonObject } {
  const { source, inputs } = read(object);
  const result = withAdvice(source, inputs, SHOWN_BY_DEFAULT);
  return { ...result, object: JSON.parse(result.text) as JsonObject };
}

function read(object: JsonObject): { readonly source: Inputs['texts'][number]; readonly inputs: Inputs } {
  const settings = { catalogue: CHECK_CATALOGUE, namespace: 'default', kinds: KNOWN_KINDS, now: NOW };
  const texts = [{ file: 'web.json', text: JSON.stringify(object) }];
  const inputs = inputsOf({ texts, problems: [] }, { texts: [], problems: [] }, settings);
  const [source] = inputs.texts;
  if (source === undefined) throw new Error('no text');
  return { source, inputs };
}

/** The first container of a Deployment, and the seconds from its deadlock to its kill. */
function containerOf(object: JsonObject): { readonly container: JsonObject; readonly killSeconds: number } {
  const podSpec = (object as { spec: { template: { spec: JsonObject } } }).spec.template.spec;
  const [container = {}] = podSpec['containers'] as JsonObject[];
  const liveness = container['livenessProbe'] as JsonObject;
  const kill = killBy(liveness, container, podSpec);
  if (kill === undefined) throw new Error('no grace period');
  return { container, killSeconds: deadlockToKillSeconds(probeTiming(liveness), kill) };
}

describe('the advice that fix applies', () => {
  it('makes no liveness probe slower than 120 s with the sum of several findings', () => {
    const object = deploymentWith({
      livenessProbe: { ...heavy, failureThreshold: 2 },
      startupProbe: { ...heavy, periodSeconds: 60, failureThreshold: 10 },
    });
    expect(containerOf(object).killSeconds).toBe(51);
    const { applied, object: after } = advised(object);
    expect(applied).toBeGreaterThan(1);
    expect(containerOf(after).killSeconds).toBeLessThanOrEqual(120);
  });
});
