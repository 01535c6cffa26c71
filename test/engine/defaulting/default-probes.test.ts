import { describe, expect, it } from 'vitest';
import {
  appContainer,
  clusterPolicyDocument,
  containerNamed,
  mutation,
  pod,
  policyDocument,
  policySet,
} from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const endpoints = {
  kubernetesProbeEndpoints: {
    startupProbe: '/healthcheck/ready',
    livenessProbe: '/healthcheck/live',
    readinessProbe: '/healthcheck/foo',
  },
};

function probesOf(container: JsonObject): JsonObject {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return JSON.parse(JSON.stringify({ livenessProbe, readinessProbe, startupProbe })) as JsonObject;
}

/** What the app container of a Pod gets under a policy. */
function injected(
  container: JsonObject,
  spec: unknown,
  members: { metadata?: JsonObject; spec?: JsonObject } = {},
): JsonObject {
  return probesOf(containerNamed(mutation(pod([container], members), policySet(policyDocument(spec))).after, 'app'));
}

/** Ports as they are declared: `http 8080`, `8080`, `dns 53 UDP`. */
function ports(...texts: string[]): JsonObject[] {
  return texts.map((text) => {
    const [, name, number, protocol] = /^(\S+ )?(\d+)( \w+)?$/.exec(text) ?? [];
    return {
      ...(name && { name: name.trim() }),
      containerPort: Number(number),
      ...(protocol && { protocol: protocol.trim() }),
    };
  });
}

const readinessPolicy = (path = '/r'): JsonObject => ({ kubernetesProbeEndpoints: { readinessProbe: path } });

/** The reasons why something was not injected, as `container.probe: code`. */
function reasons(object: JsonObject, ...documents: unknown[]): string[] {
  const { defaulting } = mutation(object, policySet(...documents));
  return (defaulting?.notInjected ?? []).map(
    ({ container, probe, code }) => `${[container, probe].filter(Boolean).join('.')}: ${code}`,
  );
}

describe('the three probes', () => {
  it('gives a container without probes the three of its namespace, on its http port by name', () =>
    expect(injected(appContainer(), endpoints)).toEqual({
      livenessProbe: { httpGet: { path: '/healthcheck/live', port: 'http' } },
      readinessProbe: { httpGet: { path: '/healthcheck/foo', port: 'http' } },
      startupProbe: { httpGet: { path: '/healthcheck/ready', port: 'http' } },
    }));

  it("adds the policy's integers and nothing else", () => {
    const probes = {
      readinessProbe: { periodSeconds: 5, failureThreshold: 2, successThreshold: 3, timeoutSeconds: 30 },
    };
    expect(injected(appContainer(), { kubernetesProbeEndpoints: { readinessProbe: '/r' }, probes })).toEqual({
      readinessProbe: {
        httpGet: { path: '/r', port: 'http' },
        timeoutSeconds: 30,
        periodSeconds: 5,
        successThreshold: 3,
        failureThreshold: 2,
      },
    });
  });

  it('never touches a probe that the container has, however odd', () => {
    const own = {
      livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: -3 },
      readinessProbe: {},
      startupProbe: { exec: {}, httpGet: {} },
    };
    expect(mutation(pod([appContainer(own)]), policySet(policyDocument(endpoints))).patch).toBeUndefined();
  });

  it('treats a null probe as absent, as the API server does', () =>
    expect(injected(appContainer({ readinessProbe: null }), readinessPolicy())).toEqual({
      readinessProbe: { httpGet: { path: '/r', port: 'http' } },
    }));

  it('gives handlers other than httpGet as the policy has them', () => {
    const container = appContainer({ ports: [{ name: 'redis', containerPort: 6379 }] });
    const probes = {
      livenessProbe: { tcpSocket: { port: 6379 } },
      readinessProbe: { exec: { command: ['redis-cli', 'ping'] } },
      startupProbe: { grpc: { port: 6379, service: 'x' } },
    };
    expect(injected(container, { probes })).toEqual(probes);
  });

  it('leaves a Pod alone when no policy speaks for it', () => {
    const { patch, defaulting } = mutation(
      pod([appContainer()]),
      policySet(policyDocument(endpoints, 'other', 'elsewhere')),
    );
    expect(patch).toBeUndefined();
    expect(defaulting?.notInjected).toEqual([]);
  });
});

describe('the port for a path', () => {
  const readiness = { containers: ['app'], kubernetesProbeEndpoints: { readinessProbe: '/r' } };
  const httpGetOn = (ports: unknown[], spec: JsonObject = readiness): unknown =>
    ((injected(appContainer({ ports }), spec)['readinessProbe'] ?? {}) as JsonObject)['httpGet'];

  it.each([
    ['http before all others', ports('https 2', 'http 1'), { port: 'http' }],
    ['https with its scheme', ports('http-api 3', 'https 2'), { port: 'https', scheme: 'HTTPS' }],
    ['the first named http-*', ports('a 1', 'http-api 3'), { port: 'http-api' }],
    ['the only one, by name', ports('web 1'), { port: 'web' }],
    ['the only one, by number when it has no name', ports('8080'), { port: 8080 }],
    [
      'the only one that is not for metrics',
      ports('metrics 1', 'web 2', 'go-metrics 3', 'prometheus 4'),
      { port: 'web' },
    ],
    ['the one that is not named http-metrics', ports('web 8080', 'http-metrics 9090'), { port: 'web' }],
    ['TCP before UDP', ports('http 1 UDP', 'web 2'), { port: 'web' }],
  ])('is %s', (_, declared, expected) => expect(httpGetOn(declared)).toEqual({ path: '/r', ...expected }));

  it.each([
    ['no port', []],
    ['two plain ports', ports('a 1', 'b 2')],
    ['UDP only', ports('http 1 UDP')],
  ])('is not guessed with %s', (_, declared) => {
    expect(httpGetOn(declared)).toBeUndefined();
    expect(reasons(pod([appContainer({ ports: declared })]), policyDocument(readiness))).toContain(
      'app.readinessProbe: no-port',
    );
  });

  it("is the policy's port by its declared name, also when the policy gives the number", () => {
    const declared = ports('http 1', 'admin 9000', '9001');
    expect(httpGetOn(declared, { ...readiness, port: 9000 })).toEqual({ path: '/r', port: 'admin' });
    expect(httpGetOn(declared, { ...readiness, port: 'admin' })).toEqual({ path: '/r', port: 'admin' });
    expect(httpGetOn(declared, { ...readiness, port: 9001 })).toEqual({ path: '/r', port: 9001 });
  });

  it.each([
    ['a name that is not declared', 'admin', 'port-not-declared'],
    ['a number that is not declared', 9000, 'port-not-declared'],
    ['a UDP port', 'dns', 'port-not-tcp'],
  ])('is not injected for %s', (_, port, code) => {
    const declared = ports('http 1', 'dns 53 UDP');
    expect(httpGetOn(declared, { ...readiness, port })).toBeUndefined();
    const object = pod([appContainer({ ports: declared })]);
    expect(reasons(object, policyDocument({ ...readiness, port }))).toContain(`app.readinessProbe: ${code}`);
  });

  it('must be declared also when a handler gives it', () =>
    expect(
      reasons(pod([appContainer()]), policyDocument({ probes: { readinessProbe: { tcpSocket: { port: 5432 } } } })),
    ).toContain('app.readinessProbe: port-not-declared'));

  it("keeps the policy's own scheme, host headers and number", () => {
    const httpGet = { path: '/r', port: 8080, scheme: 'HTTPS', httpHeaders: [{ name: 'Host', value: 'example.test' }] };
    expect(
      httpGetOn([{ name: 'https', containerPort: 8080 }], {
        containers: ['app'],
        probes: { readinessProbe: { httpGet } },
      }),
    ).toEqual(httpGet);
  });
});

describe('which containers', () => {
  const all = { containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/r' } };
  const named = (...containers: string[]): JsonObject => ({ ...all, containers });
  const main = readinessPolicy();
  const other = appContainer({ name: 'other', ports: [{ name: 'http', containerPort: 81 }] });

  function withReadiness(object: JsonObject, spec: unknown): string[] {
    const { after } = mutation(object, policySet(policyDocument(spec)));
    const { containers = [], initContainers = [] } = after['spec'] as Record<string, JsonObject[]>;
    return [...containers, ...initContainers]
      .filter((container) => container['readinessProbe'] !== undefined)
      .map((container) => String(container['name']));
  }

  it('is the only one with a TCP port when the policy names none', () =>
    expect(withReadiness(pod([{ name: 'helper' }, appContainer()]), main)).toEqual(['app']));

  it('is none, with the candidates named, when several have TCP ports', () => {
    const object = pod([appContainer(), other]);
    expect(withReadiness(object, main)).toEqual([]);
    const { defaulting } = mutation(object, policySet(policyDocument(main)));
    expect(defaulting?.notInjected).toEqual([
      { code: 'no-main-container', detail: expect.stringContaining('"app", "other"') as string },
    ]);
  });

  it.each([
    ['other', ['other']],
    ['gone', []],
  ])("is the one of kubectl's default-container annotation, or none: %s", (name, expected) => {
    const metadata = { annotations: { 'kubectl.kubernetes.io/default-container': name } };
    expect(withReadiness(pod([appContainer(), other], { metadata }), main)).toEqual(expected);
  });

  it('is every application container for "*"', () => {
    const spec = {
      initContainers: [
        { name: 'init', ports: [{ containerPort: 1 }] },
        { name: 'side', restartPolicy: 'Always', ports: [{ containerPort: 2 }] },
      ],
    };
    expect(withReadiness(pod([appContainer(), other, appContainer({ name: 'istio-proxy' })], { spec }), all)).toEqual([
      'app',
      'other',
    ]);
  });

  it('is a native sidecar only by name', () => {
    const spec = { initContainers: [{ name: 'side', restartPolicy: 'Always', ports: [{ containerPort: 2 }] }] };
    expect(withReadiness(pod([{ name: 'app' }], { spec }), named('side'))).toEqual(['side']);
  });

  it.each([
    ['a plain init container', { name: 'side', ports: [{ containerPort: 2 }] }, 'side: init-container'],
    [
      'a mesh proxy',
      { name: 'linkerd-proxy', restartPolicy: 'Always', ports: [{ containerPort: 2 }] },
      'linkerd-proxy: mesh-container',
    ],
  ])('is never %s, even by name', (_, container, reason) => {
    const object = pod([{ name: 'app' }], { spec: { initContainers: [container] } });
    expect(withReadiness(object, named(container.name))).toEqual([]);
    expect(reasons(object, policyDocument(named(container.name)))).toEqual([reason]);
  });

  it('is never one whose probes Istio has redirected', () => {
    const object = pod([appContainer({ livenessProbe: { httpGet: { path: '/app-health/app/livez', port: 15020 } } })]);
    expect(reasons(object, policyDocument(named('app')))).toEqual(['app: mesh-container']);
  });

  it.each(['OnFailure', 'Never'])('is none in a Pod that runs to completion (restartPolicy %s)', (restartPolicy) => {
    const object = pod([appContainer()], { spec: { restartPolicy } });
    expect(withReadiness(object, all)).toEqual([]);
    expect(reasons(object, policyDocument(all))).toEqual([': run-to-completion']);
  });

  it('is none that runs to completion by its own restartPolicy', () =>
    expect(withReadiness(pod([appContainer({ restartPolicy: 'OnFailure' }), other]), all)).toEqual(['other']));

  it('lets several policies serve one Pod, each its own container', () => {
    const nginx = appContainer({ name: 'nginx' });
    const { after } = mutation(
      pod([appContainer(), nginx]),
      policySet(
        ...['nginx', 'app'].map((name) =>
          clusterPolicyDocument({ containers: [name], ...readinessPolicy(`/${name}`) }, name),
        ),
      ),
    );
    expect(containerNamed(after, 'nginx')['readinessProbe']).toMatchObject({ httpGet: { path: '/nginx' } });
    expect(containerNamed(after, 'app')['readinessProbe']).toMatchObject({ httpGet: { path: '/app' } });
  });
});

const withAnnotations = (annotations: Record<string, string>, ...containers: JsonObject[]): JsonObject =>
  pod(containers.length > 0 ? containers : [appContainer()], {
    metadata: {
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`probewright.dev/${key}`, value]),
      ),
    },
  });

describe('annotations', () => {
  it('name endpoints without any policy', () => {
    const { after } = mutation(withAnnotations({ 'readiness-endpoint': '/own' }), policySet());
    expect(probesOf(containerNamed(after, 'app'))).toEqual({
      readinessProbe: { httpGet: { path: '/own', port: 'http' } },
    });
    expect((after['metadata'] as { annotations: JsonObject }).annotations['probewright.dev/injected']).toBe(
      '{"app":{"readinessProbe":"annotation"}}',
    );
  });

  it('win over every policy, field by field', () => {
    const { after } = mutation(
      withAnnotations({ 'liveness-endpoint': '/own', 'startup-seconds': '60' }),
      policySet(
        policyDocument({
          ...endpoints,
          probes: { livenessProbe: { periodSeconds: 7 } },
          slowStart: { startupSeconds: 300 },
        }),
      ),
    );
    expect(probesOf(containerNamed(after, 'app'))).toMatchObject({
      livenessProbe: { httpGet: { path: '/own' }, periodSeconds: 7 },
      startupProbe: { httpGet: { path: '/healthcheck/ready' }, periodSeconds: 5, failureThreshold: 13 },
    });
  });

  it('can say which containers are the main ones', () => {
    const { after } = mutation(
      withAnnotations({ containers: 'b, c' }, ...['a', 'b', 'c'].map((name) => appContainer({ name }))),
      policySet(policyDocument(endpoints)),
    );
    const chosen = ['a', 'b', 'c'].filter((name) => containerNamed(after, name)['readinessProbe'] !== undefined);
    expect(chosen).toEqual(['b', 'c']);
  });

  it.each([
    ['all', []],
    ['startup,readiness', ['livenessProbe']],
  ])('can skip %s', (skip, left) => {
    const { after } = mutation(withAnnotations({ skip }), policySet(policyDocument(endpoints)));
    expect(Object.keys(probesOf(containerNamed(after, 'app')))).toEqual(left);
  });

  it('do not count where the platform ignores them', () => {
    const { patch, warnings } = mutation(
      withAnnotations({ skip: 'all', 'startup-seconds': 'x' }),
      policySet(clusterPolicyDocument({ annotations: 'Ignore', ...endpoints })),
    );
    expect(patch).toHaveLength(4);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['liveness-endpoint', 'healthz', 'must start with "/", not "healthz"'],
    ['startup-seconds', '5m', 'must be a whole number of seconds, not "5m"'],
    ['startup-seconds', '0', 'must be a whole number of seconds, not "0"'],
    ['containers', 'a,,b', 'must be a comma list of container names, not "a,,b"'],
    ['skip', 'everything', 'must be "all" or a comma list of startup, liveness and readiness, not "everything"'],
    ['startup-second', '5', 'unknown annotation; did you mean "startup-seconds"?'],
  ])('that are malformed (%s: %s) warn and have no effect', (name, value, problem) => {
    const { patch, warnings } = mutation(withAnnotations({ [name]: value }), policySet(policyDocument(endpoints)));
    expect(warnings).toEqual([`annotation probewright.dev/${name} is ignored: ${problem}`]);
    expect(patch).toHaveLength(4);
  });
});

describe('annotations beyond what an object may have', () => {
  const longest = 256 * 1024;

  it('have no effect together, and one warning says so', () => {
    const skip = { skip: 'all', containers: 'x,'.repeat(longest / 2) };
    const { patch, warnings } = mutation(withAnnotations(skip), policySet(policyDocument(endpoints)));
    expect(warnings).toEqual([
      'annotations probewright.dev/* are ignored: they are longer than the 256 KiB that an object may have',
    ]);
    // No room for the annotation that says where the probes came from.
    expect(patch).toHaveLength(3);
  });

  it('are not read as what was injected before', () => {
    const own = { httpGet: { path: '/own', port: 'http' } };
    const injected = JSON.stringify({ app: { livenessProbe: 'safety' }, ['x'.repeat(longest)]: {} });
    const written = withAnnotations({ injected }, appContainer({ livenessProbe: own }));
    const short = withAnnotations(
      { injected: '{"app":{"livenessProbe":"safety"}}' },
      appContainer({ livenessProbe: own }),
    );
    const policies = policySet(
      policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/own', readinessProbe: '/r' } }),
    );
    // An injected liveness probe is guarded, an author's is not.
    expect(containerNamed(mutation(short, policies).after, 'app')['startupProbe']).toBeDefined();
    expect(containerNamed(mutation(written, policies).after, 'app')['startupProbe']).toBeUndefined();
  });

  it('that name hundreds of containers which are not there are told of by the first twenty', () => {
    const names = Array.from({ length: 500 }, (_, index) => `none-${index}`);
    const { defaulting } = mutation(
      withAnnotations({ containers: names.join(','), 'startup-seconds': '60' }),
      policySet(),
    );
    const missing = (defaulting?.notInjected ?? []).filter(({ code }) => code === 'container-not-found');
    expect(missing.map(({ container }) => container)).toEqual(names.slice(0, 20));
  });

  it('that are unknown are told of by the first twenty', () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`unknown-${index}`, '']));
    const { defaulting } = mutation(withAnnotations(unknown), policySet(policyDocument(endpoints)));
    expect(defaulting?.warnings).toHaveLength(20);
  });
});

describe('provenance', () => {
  const valueIn = (object: JsonObject): unknown =>
    JSON.parse(String((object['metadata'] as { annotations: JsonObject }).annotations['probewright.dev/injected']));

  it('names the policy behind each probe', () => {
    const { after } = mutation(
      pod([appContainer()]),
      policySet(
        clusterPolicyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/l', readinessProbe: '/low' } }),
        policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/r' } }),
      ),
    );
    expect(valueIn(after)).toEqual({
      app: {
        livenessProbe: 'ClusterProbePolicy/cluster',
        readinessProbe: 'ProbePolicy/apps/policy',
        startupProbe: 'safety',
      },
    });
  });

  it('keeps what an earlier call wrote, and the other annotations', () => {
    const annotations = {
      'a/b~c': 'kept',
      'probewright.dev/injected': '{"old":{"livenessProbe":"ProbePolicy/apps/x"}}',
    };
    const { after } = mutation(
      pod([appContainer()], { metadata: { annotations } }),
      policySet(policyDocument(readinessPolicy())),
    );
    expect(valueIn(after)).toEqual({
      old: { livenessProbe: 'ProbePolicy/apps/x' },
      app: { readinessProbe: 'ProbePolicy/apps/policy' },
    });
    expect((after['metadata'] as { annotations: JsonObject }).annotations['a/b~c']).toBe('kept');
  });

  it('is left out when the annotations are full, so that the Pod is still accepted', () => {
    const annotations = { big: 'x'.repeat(256 * 1024 - 10) };
    const { patch } = mutation(
      pod([appContainer()], { metadata: { annotations } }),
      policySet(policyDocument(readinessPolicy())),
    );
    expect(patch?.map(({ path }) => path)).toEqual(['/spec/containers/0/readinessProbe']);
  });
});

describe('never making it worse', () => {
  it('has no reasons to tell where a policy only sets checks', () =>
    expect(
      reasons(
        pod([appContainer(), appContainer({ name: 'b' })]),
        clusterPolicyDocument({ checks: { 'named-port': { action: 'Warn' } } }),
      ),
    ).toEqual([]));

  it('treats a liveness probe that an earlier call injected as that call did', () => {
    const policies = policySet(
      clusterPolicyDocument({
        kubernetesProbeEndpoints: { livenessProbe: '/l' },
        probes: { livenessProbe: { initialDelaySeconds: 60 }, startupProbe: null },
      }),
      policyDocument({ slowStart: { fromInitialDelaySeconds: 30 } }),
    );
    const first = mutation(pod([appContainer()]), policies);
    expect(first.patch).toHaveLength(2);
    expect(mutation(first.after, policies).patch).toBeUndefined();
  });
});
