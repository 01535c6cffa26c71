import { describe, expect, it } from 'vitest';
import { figureOf } from '../../../src/explain/timeline/figures.ts';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { deploymentWith, httpProbe, podWith } from '../../engine/checks/workload.ts';
import { exceptionDocument, withExceptionsInApps } from '../../support/exceptions.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { ContainerExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** The explanations of a manifest's containers, without policies. */
function containersOf(manifest: JsonObject): readonly ContainerExplanation[] {
  const settings = { snapshot: policySet(), namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
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

  it('a Pod has a proxy where an injector has been', () => {
    expect(names(podWith(proxy))).toEqual(['istio-proxy']);
    const env = [{ name: 'ISTIO_KUBE_APP_PROBERS', value: '{}' }];
    expect(names(podWith({ ...proxy, env }))).toEqual([]);
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

describe('an exception for a workload', () => {
  const broken = { livenessProbe: httpProbe({ httpGet: { host: 'localhost', port: 8080 } }) };
  const other = { kind: 'Pod', name: 'web' };
  const explained = (...specs: JsonObject[]) => {
    const documents = specs.map((spec, index) =>
      exceptionDocument({ workloads: [other], ...spec }, { name: `e-${index}` }),
    );
    const snapshot = withExceptionsInApps(policySet(), documents);
    return explainManifest(podWith(broken), 'a.yaml:1:1', {
      snapshot,
      namespace: 'apps',
      kinds: KNOWN_KINDS,
      now: NOW,
    });
  };
  const unknown = (...specs: JsonObject[]): boolean =>
    explained(...specs)?.containers[0]?.unknown.includes('starts') ?? false;
  const [check] = containersOf(podWith(broken))[0]?.cannotWork.map((each) => each.check) ?? [];

  it('says that the probe works, if one of them names the check and the container and has not ended', () => {
    expect(check).toBeDefined();
    expect(unknown()).toBe(true);
    expect(unknown({ checks: [check] })).toBe(false);
    expect(unknown({ checks: ['named-port'] }, { checks: [check] })).toBe(false);
    expect(unknown({ checks: ['named-port'] })).toBe(true);
    expect(unknown({ checks: [check], containers: ['app'] })).toBe(false);
    expect(unknown({ checks: [check], containers: ['other'] })).toBe(true);
    expect(unknown({ checks: [check], expires: '2026-06-30T00:00:00Z' })).toBe(true);
  });

  it('is told in a sentence, also when it has ended', () => {
    expect(explained()).not.toHaveProperty('exceptions');
    expect(explained({ containers: ['app', 'log'] }, { expires: '2026-06-30T00:00:00Z' })?.exceptions).toEqual([
      'ProbeException e-0 (owner team-a): named-port in app, log until 2026-08-01T00:00:00Z: The vendor image has one port.',
      'ProbeException e-1 (owner team-a): named-port ended at 2026-06-30T00:00:00Z: The vendor image has one port.',
    ]);
  });
});

describe('an object', () => {
  const explain = (object: JsonObject, others: object = {}) =>
    explainManifest(object, 'a.yaml:1:1', {
      ...{ snapshot: policySet(), namespace: 'fallback', kinds: KNOWN_KINDS, now: NOW },
      ...others,
    });

  it('has its name and namespace, or the beginning of its name and the namespace of the command', () => {
    expect(explain(podWith({}))).toMatchObject({ kind: 'Pod', namespace: 'apps', name: 'web', place: 'a.yaml:1:1' });
    const spec = { containers: [{ name: 'app' }] };
    const generated = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'web-' }, spec };
    expect(explain(generated)).toMatchObject({ namespace: 'fallback', name: 'web-*' });
    expect(explain({ ...generated, metadata: {} })).toMatchObject({ name: '*' });
  });

  it('without a Pod template is not explained', () => {
    expect(explain({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })).toBeUndefined();
    expect(
      explain({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: {} })?.containers ?? [],
    ).toEqual([]);
  });

  it('of a cluster names the policy that injected a probe, as its annotation says, and a file does not', () => {
    const annotations = {
      'probewright.dev/injected': JSON.stringify({ app: { livenessProbe: 'ProbePolicy/apps/web' } }),
    };
    const live = {
      ...podWith({ livenessProbe: httpProbe() }),
      metadata: { name: 'web', namespace: 'apps', annotations },
    };
    const from = (isFromCluster: boolean): unknown => explain(live, { isFromCluster })?.containers[0]?.probes[0]?.from;
    expect([from(true), from(false)]).toEqual(['ProbePolicy/apps/web', 'the manifest']);
    expect(explain(live)?.containers[0]?.probes[0]?.from).toBe('the manifest');
  });

  it('tells once why policies add no probes', () => {
    const policies = policySet(policyDocument({ probes: { readinessProbe: { httpGet: { path: '/r' } } } }));
    const { notInjected = [] } = explain(podWith({ ports: [] }), { snapshot: policies }) ?? {};
    expect(notInjected.length).toBeGreaterThan(0);
    expect(new Set(notInjected).size).toBe(notInjected.length);
  });
});
