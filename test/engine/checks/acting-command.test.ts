import { describe, expect, it } from 'vitest';
import { withEdits } from '../../../src/base/json/field-path.ts';
import { execArgv } from '../../../src/engine/probe/handler-values.ts';
import { sideEffectOf } from '../../../src/engine/command/changes.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { clusterPolicyDocument } from '../../support/worlds.ts';
import { podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const policy = clusterPolicyDocument({
  checks: { 'required-startup': { action: 'Warn' }, 'delayed-liveness': { action: 'Warn' } },
});

function violationsOf(object: JsonObject): readonly Violation[] {
  const texts = [{ file: 'policy.json', text: JSON.stringify(policy) }];
  return checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], texts).violations;
}

const acting = { exec: { command: ['sh', '-c', 'rm -rf /data/tmp; curl -f localhost:8080'] }, timeoutSeconds: 5 };
const http = { httpGet: { path: '/', port: 'http' } };

describe('advice about a command with side effects', () => {
  it.each([
    ['a late liveness probe', { livenessProbe: { ...acting, initialDelaySeconds: 600 } }],
    ['many failures', { livenessProbe: { ...acting, failureThreshold: 60 } }],
    ['a short start', { livenessProbe: { ...acting, periodSeconds: 2, failureThreshold: 2 } }],
    ['a late readiness probe', { readinessProbe: { ...acting, initialDelaySeconds: 100 } }],
    [
      'a late readiness probe beside http',
      { livenessProbe: http, readinessProbe: { ...acting, initialDelaySeconds: 99 } },
    ],
    [
      'both late',
      { livenessProbe: { ...acting, initialDelaySeconds: 99 }, readinessProbe: { ...acting, initialDelaySeconds: 99 } },
    ],
    [
      'delays behind a startup probe',
      {
        startupProbe: { ...http, failureThreshold: 60 },
        livenessProbe: { ...acting, initialDelaySeconds: 100 },
        readinessProbe: { ...acting, initialDelaySeconds: 100 },
      },
    ],
  ] as const)('never lets it run earlier: %s', (_, probes) => {
    const object = podWith(probes);
    const violations = violationsOf(object);
    expect(violations).not.toHaveLength(0);
    for (const { edits } of violations) {
      if (edits === undefined) continue;
      const [container] = (withEdits(object, edits)['spec'] as { containers: Record<string, JsonObject>[] }).containers;
      const exec = container?.['startupProbe']?.['exec'] as JsonObject | undefined;
      expect(sideEffectOf(new ExecCommand((exec && execArgv(exec)) ?? []))).toBeUndefined();
      for (const kind of ['livenessProbe', 'readinessProbe'] as const) {
        const before = (probes as Record<string, JsonObject>)[kind];
        if (before?.['exec'] === undefined) continue;
        expect(container?.[kind]?.['initialDelaySeconds']).toBe(before['initialDelaySeconds']);
      }
    }
  });
});
