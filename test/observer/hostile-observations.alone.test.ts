import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { failingResults, sharedTroubles, type Candidate } from '../../src/observer/failing/failing-results.ts';
import { FailingWorkloads } from '../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../src/observer/failing/pod-health.ts';
import { readProbeEvent, type ProbeHint } from '../../src/observer/failing/probe-events.ts';
import { ProbeHints } from '../../src/observer/failing/probe-hints.ts';
import { controllerOfPod, workloadNameOfPod, type NamedObject } from '../../src/observer/observed-workload.ts';
import { observedContainers } from '../../src/observer/starts/measured-start.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const NOW = Date.parse('2026-11-20T10:10:00Z');
const named = (namespace: string, name: string): NamedObject => ({
  namespace,
  group: 'apps',
  kind: 'Deployment',
  name,
});

/** A Pod whose container is not ready. */
function troubledPod(namespace: string, uid: string, probe: JsonObject, annotations: JsonObject = {}): JsonObject {
  const state = { running: { startedAt: '2026-11-20T10:00:00Z' } };
  return {
    metadata: { namespace, name: uid, uid, annotations },
    spec: { containers: [{ name: 'app', readinessProbe: probe }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'app', ready: false, started: true, state }] },
  };
}

/** What a user with `edit` may create: an event of the user's own namespace about any UID. */
function event(namespace: string, uid: string, members: JsonObject = {}): JsonObject {
  return {
    metadata: { namespace },
    reason: 'Unhealthy',
    message: 'Readiness probe failed: HTTP probe failed with statuscode: 404',
    involvedObject: { kind: 'Pod', namespace, uid, fieldPath: 'spec.containers{app}' },
    ...members,
  };
}

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** The MiB of the heap that the result of `make` keeps. */
function kept(make: () => unknown): number {
  const before = heapMegabytes();
  const held = make();
  const after = heapMegabytes();
  expect(held).toBeDefined();
  return after - before;
}

const probe = { httpGet: { path: '/ready', port: 8080 } };

describe('events that a tenant writes', () => {
  it('tell nothing about a Pod of another namespace', () => {
    const workloads = new FailingWorkloads();
    workloads.seen('victim', named('apps', 'web'), podHealth(troubledPod('apps', 'victim', probe)));
    const tell = (namespace: string): void => {
      const hint = readProbeEvent(event(namespace, 'victim'));
      if (hint !== undefined) workloads.hint(hint, NOW);
    };
    tell('tenant');
    // The status alone tells that the probe fails.
    expect(workloads.findings(NOW).flatMap(({ failures }) => failures.map(({ cause }) => cause))).toStrictEqual([
      'unclear',
    ]);
    tell('apps');
    expect(workloads.findings(NOW).map(({ failures }) => failures.map(({ cause }) => cause))).toStrictEqual([
      ['http-404'],
    ]);
  });

  it('push out no hint of another namespace', () => {
    const hints = new ProbeHints();
    const hint = (namespace: string, podUid: string): ProbeHint => ({
      namespace,
      podUid,
      container: 'app',
      probe: 'readinessProbe',
      cause: 'http-404',
      isVoid: false,
      times: [NOW],
    });
    hints.add(hint('apps', 'victim'), NOW);
    for (let pod = 0; pod < 12_000; pod++) hints.add(hint('tenant', `forged-${pod}`), NOW);
    expect(hints.size).toBe(10_000);
    expect(hints.of('apps', 'victim')).toHaveLength(1);
    expect([hints.of('tenant', 'forged-0'), hints.of('tenant', 'forged-11999')].map(({ length }) => length)).toEqual([
      0, 1,
    ]);
    hints.forgetOld(NOW + 3_600_001);
    expect(hints.size).toBe(0);
  });

  it.each([
    ['a container', { fieldPath: `spec.containers{${'a'.repeat(1_000_000)}}` }],
    ['a UID', { fieldPath: 'spec.containers{app}', uid: 'a'.repeat(1_000_000) }],
  ])('keep no memory by %s of 1 MB', (_, members) => {
    const involvedObject = { kind: 'Pod', namespace: 'tenant', uid: 'u', ...members };
    expect(readProbeEvent(event('tenant', 'u', { involvedObject }))).toBeUndefined();
  });

  it('keep no memory by long messages about kills', () => {
    const hints = new ProbeHints();
    const megabytes = kept(() => {
      for (let pod = 0; pod < 2000; pod++) {
        const message = `Container long-name-${pod} failed liveness probe, will be restarted${'x'.repeat(11_000 + (pod % 9))}`;
        const text = JSON.parse(JSON.stringify(message)) as string;
        const involvedObject = { kind: 'Pod', namespace: 'tenant', uid: `u-${pod}` };
        const hint = readProbeEvent(event('tenant', '', { reason: 'Killing', message: text, involvedObject }));
        if (hint !== undefined) hints.add(hint, NOW);
      }
      return hints;
    });
    expect(hints.size).toBe(2000);
    expect(megabytes).toBeLessThan(8);
  });
});

describe('Pods that a tenant writes', () => {
  it('keep no memory by long paths and annotations', () => {
    const workloads = new FailingWorkloads();
    const megabytes = kept(() => {
      for (let pod = 0; pod < 100; pod++) {
        const long = `${'x'.repeat(200_000)}${pod}`;
        const annotations = { 'probewright.dev/injected': JSON.stringify({ app: { readinessProbe: long } }) };
        const object = troubledPod('tenant', `u-${pod}`, { httpGet: { path: `/${long}`, port: 80 } }, annotations);
        workloads.seen(`u-${pod}`, named('tenant', 'web'), podHealth(JSON.parse(JSON.stringify(object)) as JsonObject));
      }
      return workloads;
    });
    expect(workloads.troubledPods).toBe(100);
    expect(megabytes).toBeLessThan(8);
  });

  it('keep little memory by thousands of containers', () => {
    const containers = Array.from({ length: 5000 }, (_, index) => ({ name: `c-${index}`, readinessProbe: probe }));
    const containerStatuses = containers.map(({ name }) => ({ name, ready: false, restartCount: 1 }));
    const pod = { metadata: { uid: 'u' }, spec: { containers }, status: { containerStatuses } };
    expect(podHealth(pod)?.containers).toHaveLength(100);
    expect(observedContainers(pod)).toBeUndefined();
    const workloads = new FailingWorkloads();
    for (let copy = 0; copy < 1000; copy++) workloads.seen(`u-${copy}`, named('tenant', 'web'), podHealth(pod));
    expect(workloads.troubledPods).toBe(400);
    for (let copy = 0; copy < 1000; copy++) workloads.gone('tenant', `u-${copy}`);
    workloads.seen('victim', named('apps', 'web'), podHealth(pod));
    expect(workloads.troubledPods).toBe(1);
  });

  it('push out no Pod of another namespace', () => {
    const workloads = new FailingWorkloads();
    const seen = (namespace: string, uid: string): void => {
      workloads.seen(uid, named(namespace, 'web'), podHealth(troubledPod(namespace, uid, probe)));
      const hint = readProbeEvent(event(namespace, uid));
      if (hint !== undefined) workloads.hint(hint, NOW);
    };
    seen('apps', 'victim');
    for (let pod = 0; pod < 12_000; pod++) seen('tenant', `u-${pod}`);
    seen('late', 'other-victim');
    expect(workloads.troubledPods).toBe(10_000);
    expect(workloads.findings(NOW).map(({ workload }) => workload.namespace)).toStrictEqual(['apps', 'late', 'tenant']);
  });

  it.each([
    ['ProbePolicy/apps/static', 'ProbePolicy/apps/static'],
    ['learned: 12 starts, longest 41 s, 69 s to start; ClusterProbePolicy/fleet', 'ClusterProbePolicy/fleet'],
    ['annotation', 'annotation'],
    ['[click](http://evil.test)', undefined],
    ['ClusterProbePolicy/fleet\u001b[2J', undefined],
    [`ClusterProbePolicy/${'x'.repeat(250_000)}`, undefined],
  ])('name an injecting layer only in the form of the annotation: %.60s', (source, layer) => {
    const annotations = { 'probewright.dev/injected': JSON.stringify({ app: { readinessProbe: source } }) };
    const health = podHealth(troubledPod('tenant', 'u', probe, annotations));
    expect(health?.containers[0]?.probes.readinessProbe?.injectedBy?.layer).toBe(layer);
  });

  it.each([
    ['apps/v1', 'Deployment', 'a/b'],
    ['apps/v1', 'Deployment', '..'],
    ['apps/v1', 'Deployment', 'x'.repeat(1_000_000)],
    ['apps/v1', 'Deploy/ment', 'web'],
    ['apps/v1', '$(reboot)', 'web'],
    ['../v1', 'Deployment', 'web;reboot'],
    ['a/b/c', 'Deployment', 'web'],
  ])('belong to no workload that cannot exist: %.20s %s %.20s', (apiVersion, kind, name) => {
    const ownerReferences = [{ apiVersion, kind, name, uid: '1', controller: true }];
    const pod = { metadata: { namespace: 'tenant', name: 'p', ownerReferences } };
    expect([controllerOfPod(pod), workloadNameOfPod(pod)]).toStrictEqual([undefined, undefined]);
  });
});

describe('workloads that fail together', () => {
  const candidate = (namespace: string, name: string, at: number): Candidate => ({
    key: `${namespace}/${name}`,
    workload: named(namespace, name),
    failures: [{ container: 'app', probe: 'readinessProbe', cause: 'http-5xx', described: undefined }],
    pods: [
      {
        uid: name,
        name,
        createdAt: 0,
        waits: [],
        isReady: false,
        hasTrouble: true,
        hasEnded: false,
        changedAt: at,
        unreadySince: at,
        containers: [],
        troubles: [],
      },
    ],
  });

  it('are not named in the reports of other namespaces', () => {
    const candidates = [candidate('tenant', 'a', 0), candidate('secret', 'merger', 1), candidate('secret', 'plan', 2)];
    const shared = sharedTroubles(candidates, NOW).get('tenant/a');
    const told = (namespace: string): unknown =>
      failingResults({ workload: named(namespace, 'a'), failures: [], shared })[0]?.properties['workloads'];
    expect(told('tenant')).toBe('Deployment tenant/a; 2 workloads in other namespaces');
    expect(told('secret')).toBe('Deployment secret/merger, Deployment secret/plan; 1 workload in other namespaces');
  });

  it('are found in time that is linear in their number', () => {
    const many = Array.from({ length: 30_000 }, (_, index) => candidate('tenant', `w-${index}`, index * 40_000));
    const start = process.cpuUsage().user;
    expect(sharedTroubles(many, NOW).size).toBe(0);
    expect(process.cpuUsage().user - start).toBeLessThan(2_000_000);
  });
});
