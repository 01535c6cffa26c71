import { describe, expect, it } from 'vitest';
import { figureOf } from '../../../src/explain/timeline/figures.ts';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { deploymentWith, httpProbe, podWith } from '../../engine/checks/workload.ts';
import { policySet } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { ContainerExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

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

describe('a probe with long texts', () => {
  it('is shown whole, beyond what checks read of it', () => {
    const path = `/${'a'.repeat(5000)}`;
    const command = Array.from({ length: 1001 }, (_, index) => `word-${index}`);
    const probes = {
      livenessProbe: httpProbe({ httpGet: { path, port: 8080 } }),
      readinessProbe: { exec: { command } },
    };
    const [container] = containersOf(podWith(probes));
    expect(container?.probes.map(({ handler }) => handler)).toEqual([
      `httpGet ${path} on port 8080`,
      `exec ${command.join(' ')}`,
    ]);
    const values = container?.probes.flatMap(({ fields }) => fields.map(({ value }) => value));
    expect(values).toEqual(expect.arrayContaining([path, command]));
  });
});

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

describe('a restart after a liveness kill', () => {
  const startupProbe = httpProbe({ failureThreshold: 5 });
  const only = (liveness: JsonObject, fields: JsonObject = {}): ContainerExplanation | undefined =>
    containersOf(podWith({ startupProbe, livenessProbe: httpProbe(liveness), ...fields }))[0];

  it('is guaranteed less than the first start, where liveness may give up within a period of the startup probe', () => {
    const open = only({ periodSeconds: 3, failureThreshold: 4 });
    expect(figureOf(open?.figures ?? [], 'time-to-restart')?.span).toEqual({ earliest: 9, latest: 51 });
    expect(open?.headline).toContain('Guaranteed 40 s to start, but only 9 s after a liveness kill.');
    expect(open?.caveats).toEqual([
      'After a liveness kill, Kubernetes 1.35 to 1.37 may kill the container again 9 s after the restart: the liveness ' +
        'probe runs for up to 10 s before the startup probe holds it back (kubernetes/kubernetes#141155).',
    ]);
  });

  it('is guaranteed as much as the first start, where liveness needs a period of the startup probe', () => {
    const closed = only({ periodSeconds: 5, failureThreshold: 3 });
    expect(figureOf(closed?.figures ?? [], 'time-to-restart')?.span).toEqual({ earliest: 40, latest: 51 });
    expect(closed?.headline).toContain('Guaranteed 40 s to start. ');
    expect(closed?.caveats).toEqual([]);
  });

  it('has no figure where nothing restarts the container', () => {
    const never = only({ periodSeconds: 1, failureThreshold: 2 }, { restartPolicy: 'Never' });
    expect(figureOf(never?.figures ?? [], 'time-to-restart')).toBeUndefined();
    expect(never?.caveats).toEqual([]);
  });
});

describe('a kill that ends the Pod', () =>
  it('uses the grace period of the Pod, and says so', () => {
    const livenessProbe = httpProbe({ terminationGracePeriodSeconds: 5 });
    const [only] = containersOf(
      podWith({ livenessProbe }, { restartPolicy: 'Never', terminationGracePeriodSeconds: 12 }),
    );
    expect(only?.headline).toContain('SIGTERM after 31 s at the latest; dead by 43 s, and not started again.');
    expect(only?.caveats).toEqual([
      'livenessProbe: its terminationGracePeriodSeconds is not used, because restartPolicy Never ends the Pod. ' +
        "The Pod's 12 s count.",
    ]);
  }));

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

  it('a Pod template without the annotation of a mesh has no proxy, whatever its containers are called', () =>
    expect(names(deploymentWith(proxy))).toEqual(['istio-proxy']));

  it('a Pod reserves the name for the proxy', () => expect(names(podWith(proxy))).toEqual([]));
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
