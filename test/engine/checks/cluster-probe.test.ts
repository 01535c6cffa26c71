import { describe, expect, it } from 'vitest';
import { CLUSTER_QUESTIONS } from '../../../src/engine/checks/lib/cluster-questions.ts';
import { findings, httpProbe, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'cluster-probe';
const asking = (path: string): JsonObject => podWith({ readinessProbe: httpProbe({}, path) });

describe('cluster-probe', () => {
  it('suggests nothing that the check itself reports', () => {
    for (const { local } of CLUSTER_QUESTIONS) expect(findings(ID, asking(local)), local).toEqual([]);
  });
});
