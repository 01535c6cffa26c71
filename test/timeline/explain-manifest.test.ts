import { describe, expect, it } from 'vitest';
import { figureOf } from '../../src/timeline/figure.ts';
import { explainManifest } from '../../src/timeline/explain-manifest.ts';
import { KNOWN_KINDS } from '../../src/workload/custom-kinds.ts';
import { deploymentWith, httpProbe, podWith } from '../checks/workload.ts';
import { policySet } from '../worlds.ts';
import { NOW } from '../now.ts';
import type { ContainerExplanation } from '../../src/timeline/explanation.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

/** The explanations of a manifest's containers, without policies. */
function containersOf(manifest: JsonObject): readonly ContainerExplanation[] {
  const settings = { policies: policySet(), namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  return explainManifest(manifest, 'a.yaml:1:1', settings)?.containers ?? [];
}

const captions = (manifest: JsonObject): string =>
  containersOf(manifest)
    .flatMap(({ scenes }) => scenes.flatMap(({ lanes }) => lanes.flatMap(({ segments }) => segments)))
    .map(({ caption }) => caption)
    .join('\n');

describe('what happens to a killed container', () => {
  const never = { livenessProbe: httpProbe(), restartPolicy: 'Never' };

  it('says that restart rules may start it again, though its restartPolicy is Never', () => {
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [137] } }];
    expect(captions(podWith(never))).toContain('is not started again');
    expect(captions(podWith({ ...never, restartPolicyRules }))).not.toContain('is not started again');
  });

  it("lets the container's own restartPolicy win over the Pod's", () => {
    const always = { ...never, restartPolicy: 'Always' };
    expect(captions(podWith(always, { restartPolicy: 'Never' }))).toContain('the kubelet starts it again');
  });
});

describe('a probe that names a port which its container does not declare', () => {
  const mute = { httpGet: { path: '/live', port: 'htpp' } };
  const explained = (fields: JsonObject): ContainerExplanation | undefined => containersOf(podWith(fields))[0];
  const shown = (container: ContainerExplanation | undefined): [string | undefined, string[] | undefined] => [
    container?.headline,
    container?.figures.map(({ probe, id }) => `${probe} ${id}`),
  ];

  it('has no times, and a liveness probe of that sort never kills', () => {
    expect(shown(explained({ livenessProbe: mute }))).toEqual([
      'No limit on the time to start: no probe kills the container.',
      [],
    ]);
    expect(captions(podWith({ livenessProbe: mute }))).not.toMatch(/SIGTERM|dead|killed/);
  });

  it('as a startup probe takes the effect of all other probes away', () => {
    const fields = { startupProbe: mute, livenessProbe: httpProbe(), readinessProbe: httpProbe() };
    expect(shown(explained(fields))).toEqual([
      'Never counts as started, and gets no traffic. No probe kills the container.',
      [],
    ]);
    expect(captions(podWith(fields))).not.toMatch(/SIGTERM|dead|gets traffic/i);
  });

  it('as a readiness probe keeps all traffic away, and leaves the kill of the liveness probe', () => {
    const fields = { livenessProbe: httpProbe(), readinessProbe: mute };
    expect(explained(fields)?.headline).toBe(
      'Guaranteed 20 s to start. SIGTERM after 31 s at the latest; dead by 61 s. Never Ready, so it gets no traffic.',
    );
    expect(captions(podWith(fields))).not.toMatch(/gets traffic/i);
  });
});

describe('which containers are explained', () => {
  const proxy = { name: 'istio-proxy', livenessProbe: httpProbe() };
  const names = (manifest: JsonObject): string[] => containersOf(manifest).map(({ name }) => name);

  it('a Pod template without the annotation of a mesh has no proxy, whatever its containers are called', () => {
    expect(names(deploymentWith(proxy))).toEqual(['istio-proxy']);
  });

  it('a Pod reserves the name for the proxy', () => {
    expect(names(podWith(proxy))).toEqual([]);
  });
});

it('a value that the API server refuses counts as absent in every figure', () => {
  const [huge] = containersOf(
    podWith(
      { livenessProbe: httpProbe({ periodSeconds: 1e300, failureThreshold: 'x', terminationGracePeriodSeconds: -1 }) },
      { terminationGracePeriodSeconds: 5 },
    ),
  );
  expect(figureOf(huge?.figures ?? [], 'deadlock-dead')?.span).toEqual({ earliest: 20, latest: 61 });
});
