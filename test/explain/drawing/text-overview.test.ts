import { describe, expect, it } from 'vitest';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { overviewLines } from '../../../src/explain/drawing/text.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { policySet } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const http = { httpGet: { path: '/', port: 8080 } };

function linesOf(...containers: JsonObject[]): string[] {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
  const settings = { snapshot: policySet(), namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  return overviewLines(explainManifest(pod, 'a.yaml:1:1', settings)?.containers ?? []);
}

describe('the overview of a workload in text', () => {
  it('has one row for each container, with the latest moments of its figures', () => {
    const startupProbe = { ...http, failureThreshold: 30 };
    expect(
      linesOf({ name: 'app', startupProbe, livenessProbe: http, readinessProbe: http }, { name: 'worker' }),
    ).toEqual([
      '          guaranteed to start  to restart  kill begins by  dead by  hanging: dead by  NotReady by',
      '  app                   290 s       290 s           301 s    331 s              61 s         31 s',
      '  worker             no limit    no limit           never    never             never        never',
      '',
    ]);
  });

  it('is left out for a single container, and cuts long names', () => {
    expect(linesOf({ name: 'app', livenessProbe: http })).toEqual([]);
    expect(linesOf({ name: 'a'.repeat(63) }, { name: 'b' })[1]).toMatch(/^ {2}a{31}… {2}/);
  });
});
