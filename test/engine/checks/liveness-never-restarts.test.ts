import { describe, expect, it } from 'vitest';
import { findings, httpProbe, paths, podWith } from './workload.ts';

const ID = 'liveness-never-restarts';
const NEVER = { restartPolicy: 'Never' };

describe('liveness-never-restarts', () => {
  it('finds the probes that kill, and not the readiness probe', () => {
    const probes = { livenessProbe: httpProbe(), readinessProbe: httpProbe(), startupProbe: httpProbe() };
    const found = findings(ID, podWith(probes, NEVER));
    expect(found.map(({ path }) => path)).toEqual([
      'spec.containers[0].livenessProbe',
      'spec.containers[0].startupProbe',
    ]);
    expect(found[0]).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe',
      message:
        'container "app" stays dead after its livenessProbe has failed 3 times: restartPolicy Never lets nothing restart it',
      remedy: 'remove the livenessProbe, or write restartPolicy: OnFailure',
    });
  });

  it.each(['Always', 'OnFailure', undefined])('accepts restartPolicy %s', (restartPolicy) =>
    expect(findings(ID, podWith({ livenessProbe: httpProbe() }, { restartPolicy }))).toEqual([]),
  );

  it("lets a container's own policy win", () => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe(), restartPolicy: 'Always' }, NEVER))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: httpProbe(), restartPolicy: 'Never' }))).toHaveLength(1);
  });

  it('lets restart rules restart', () => {
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [137] } }];
    const container = { livenessProbe: httpProbe(), restartPolicy: 'Never', restartPolicyRules };
    expect(findings(ID, podWith(container))).toEqual([]);
  });

  it('knows that sidecars are always restarted', () => {
    const sidecar = { name: 'proxy', restartPolicy: 'Always', livenessProbe: { tcpSocket: { port: 80 } } };
    expect(findings(ID, podWith({}, { ...NEVER, initContainers: [sidecar] }))).toEqual([]);
  });

  it('looks at Jobs by their own paths', () => {
    const spec = { ...NEVER, containers: [{ name: 'job', livenessProbe: { tcpSocket: { port: 80 } } }] };
    const cronJob = { jobTemplate: { spec: { template: { spec } } } };
    expect(paths(ID, { apiVersion: 'batch/v1', kind: 'CronJob', spec: cronJob })).toEqual([
      'spec.jobTemplate.spec.template.spec.containers[0].livenessProbe',
    ]);
  });
});
