import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';

const ID = 'probe-handler';
const EXEC = { exec: { command: ['true'] } };

describe('probe-handler', () => {
  it('names the allowed ones', () =>
    expect(onlyFinding(ID, podWith({ livenessProbe: EXEC }), { allowed: ['httpGet', 'tcpSocket', 'grpc'] })).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec',
      message: 'container "app" uses exec as its livenessProbe, which a policy forbids',
      remedy: 'write httpGet, tcpSocket or grpc instead',
    }));

  it('accepts an allowed one, and everything by default', () => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe() }), { allowed: ['httpGet'] })).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: EXEC }))).toEqual([]);
  });

  it("lets a probe's own list win", () => {
    const container = podWith({ livenessProbe: EXEC, readinessProbe: EXEC });
    expect(paths(ID, container, { allowed: ['httpGet'], readinessProbe: { allowed: ['exec'] } })).toEqual([
      'spec.containers[0].livenessProbe.exec',
    ]);
    expect(paths(ID, container, { readinessProbe: { allowed: ['grpc'] } })).toEqual([
      'spec.containers[0].readinessProbe.exec',
    ]);
    expect(findings(ID, container, { allowed: ['grpc'], readinessProbe: {} })).toHaveLength(2);
  });
});
