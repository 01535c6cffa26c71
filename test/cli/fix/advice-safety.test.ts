import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkManifests } from '../../../src/cli/check/check-manifests.ts';
import { SHOWN_BY_DEFAULT, withAdvice, type AdvisedText } from '../../../src/cli/fix/advice.ts';
import { shownReport, type PlacedViolation } from '../../../src/cli/check/report.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { killBy } from '../../support/live-container.ts';
import { deadlockToKillSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { deploymentWith, httpProbe } from '../../engine/checks/workload.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import type { Level } from '../../../src/engine/verdict/levels.ts';

const heavy = { exec: { command: ['rabbitmq-diagnostics', '-q', 'ping'] } };

/** What `fix --advice` makes of an object. */
function advised(object: JsonObject, minLevel: Level = 'warning'): AdvisedText & { readonly object: JsonObject } {
  const { source, inputs } = read(object);
  const result = withAdvice(source, inputs, { ...SHOWN_BY_DEFAULT, minLevel });
  return { ...result, object: JSON.parse(result.text) as JsonObject };
}

function read(object: JsonObject): { readonly source: FlatGiven['texts'][number]; readonly inputs: FlatGiven } {
  const settings = { namespace: 'default', kinds: KNOWN_KINDS, now: NOW };
  const texts = [{ file: 'web.json', text: JSON.stringify(object) }];
  const inputs = flatGiven(worldOf({ texts, problems: [] }, { texts: [], problems: [] }, settings));
  const [source] = inputs.texts;
  if (source === undefined) throw new Error('no text');
  return { source, inputs };
}

/** The findings that `check` shows for an object. */
function shownIn(object: JsonObject, minLevel: Level = 'warning'): readonly PlacedViolation[] {
  return shownReport(checkManifests(read(object).inputs, read(object).inputs), { ...SHOWN_BY_DEFAULT, minLevel })
    .violations;
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
    const { applied, object: after, remarks } = advised(object);
    expect(applied).toBeGreaterThan(1);
    expect(containerOf(after).killSeconds).toBeLessThanOrEqual(120);
    expect(remarks).toEqual([]);
  });

  it('is also the advice to which other edits lead', () => {
    const postgres = { exec: { command: ['pg_isready', '-U', 'app'] } };
    const startupProbe = { ...postgres, periodSeconds: 60, failureThreshold: 12 };
    const livenessProbe = httpProbe({ periodSeconds: 30, failureThreshold: 1 });
    const object = deploymentWith({ livenessProbe, startupProbe });
    const words = shownIn(object).filter(({ check, edits }) => check === 'restart-gate' && edits === undefined);
    expect(words).toHaveLength(1);
    const { container } = containerOf(advised(object).object);
    expect(container['startupProbe']).toEqual({
      ...postgres,
      periodSeconds: 30,
      failureThreshold: 23,
    });
  });

  it('writes a startup probe first, after which the deadline of the rollout may stay', () => {
    const path = { httpGet: { path: '/l', port: 8080 } };
    const slow = { ...path, initialDelaySeconds: 300, periodSeconds: 5, timeoutSeconds: 10, failureThreshold: 30 };
    const object = deploymentWith({ livenessProbe: slow, readinessProbe: path });
    expect(shownIn(object, 'note').map(({ check }) => check)).toEqual([
      'progress-deadline',
      'delayed-liveness',
      'timeout-over-period',
    ]);
    const { applied, object: after } = advised(object, 'note');
    expect([applied, Object.keys(containerOf(after).container)]).toEqual([1, expect.arrayContaining(['startupProbe'])]);
    expect(after['spec']).not.toHaveProperty('progressDeadlineSeconds');
  });

  it('leaves no advice: a second run changes nothing', () =>
    fc.assert(
      fc.property(anyWorkload, fc.constantFrom('warning', 'note'), (object, minLevel) => {
        const first = advised(object, minLevel);
        const second = advised(first.object, minLevel);
        expect(second.object).toEqual(first.object);
        expect(second.applied).toBe(0);
      }),
      { numRuns: 20 },
    ));

  it('is only that of the checks that were asked for', () => {
    const object = deploymentWith({ livenessProbe: { ...heavy, failureThreshold: 1, timeoutSeconds: 1 } });
    const { source, inputs } = read(object);
    const only = { ...SHOWN_BY_DEFAULT, only: ['single-failure'] };
    const { text } = withAdvice(source, inputs, only);
    expect(containerOf(JSON.parse(text) as JsonObject).container['livenessProbe']).toEqual({
      ...heavy,
      failureThreshold: 3,
      timeoutSeconds: 1,
    });
  });
});
