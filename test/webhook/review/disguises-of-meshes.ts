import { appContainer } from '../../support/worlds.ts';
import { CRON_JOB, DEPLOYMENT, objectOf, POD, ROLLOUT, type Disguise, type Parts } from './disguise.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const http = (port: number, path: string, more: JsonObject = {}): JsonObject => ({
  httpGet: { path, port, scheme: 'HTTP' },
  ...more,
});
const exec = { exec: { command: ['cat', '/tmp/up'] } };
const probed = { livenessProbe: exec, readinessProbe: exec, startupProbe: exec };
const listing = (probes: JsonObject): { readonly env: readonly JsonObject[] } => ({
  env: [{ name: 'ISTIO_KUBE_APP_PROBERS', value: JSON.stringify(probes) }],
});
const handlerOf = (probe: JsonObject): JsonObject => (probe['httpGet'] ?? probe['tcpSocket']) as JsonObject;
const HOST = '169.254.169.254';

/** A floor, what violates it in a probe, and what does not. */
interface Floor {
  readonly of: string;
  readonly floors: JsonObject;
  readonly spoiled: (probe: JsonObject) => JsonObject;
  readonly honest: (probe: JsonObject) => JsonObject;
}
const same = (probe: JsonObject): JsonObject => probe;

const FLOORS: readonly Floor[] = [
  {
    of: 'bounds',
    floors: { 'probe-bounds': { readinessProbe: { timeoutSeconds: { maximum: 20 } } } },
    spoiled: (probe) => ({ ...probe, timeoutSeconds: 60, periodSeconds: 60 }),
    honest: same,
  },
  {
    of: 'times',
    floors: { 'timeout-over-period': {} },
    spoiled: (probe) => ({ ...probe, timeoutSeconds: 40, periodSeconds: 2 }),
    honest: same,
  },
  {
    of: 'hosts',
    floors: { 'probe-host': {} },
    spoiled: (probe) =>
      probe['httpGet']
        ? { ...probe, httpGet: { ...handlerOf(probe), host: HOST } }
        : { ...probe, tcpSocket: { ...handlerOf(probe), host: HOST } },
    honest: same,
  },
  { of: 'handlers', floors: { 'probe-handler': { allowed: ['exec'] } }, spoiled: same, honest: () => exec },
  {
    of: 'commands',
    floors: { 'exec-forbidden': { names: ['curl'] } },
    spoiled: (probe) => ({ ...probe, httpGet: null, tcpSocket: null, exec: { command: ['curl', 'x'] } }),
    honest: same,
  },
];

/** The probe that an injector writes into an application, by mesh. Linkerd leaves probes as they are. */
const REDIRECTED: Readonly<Record<string, JsonObject>> = {
  'the agent of Istio': http(15020, '/app-health/app/readyz'),
  'the health port of Istio': http(15021, '/app-health/app/readyz'),
  'the virtual probes of Kuma': http(9000, '/8080/ready'),
  'the probe proxy of Kuma': http(9001, '/8080/ready'),
  'the listener of Consul': http(20_400, '/ready'),
  'the proxy of Linkerd': http(4191, '/ready'),
};

const redirected: readonly Disguise[] = Object.entries(REDIRECTED).flatMap(([asked, probe]) =>
  [POD, DEPLOYMENT, CRON_JOB, ROLLOUT].flatMap((of) =>
    FLOORS.slice(0, 4).map(({ of: floor, floors, spoiled, honest }): Disguise => {
      const made = (readinessProbe: JsonObject): JsonObject =>
        objectOf(of, { containers: [appContainer({ readinessProbe })] });
      return {
        ...{ pretends: `a probe of a ${of[1]} asks ${asked}, past a floor of ${floor}` },
        ...{ floors, object: made(spoiled(probe)), honest: made(honest(probe)), answer: 'denied' },
      };
    }),
  ),
);

/** What the injectors of the meshes write: the proxy's container, and the annotation. */
const PROXIES: Readonly<Record<string, { readonly proxy: JsonObject; readonly annotations: JsonObject }>> = {
  Istio: {
    proxy: {
      name: 'istio-proxy',
      ports: [{ name: 'http-envoy-prom', containerPort: 15_090 }],
      readinessProbe: http(15_021, '/healthz/ready', { timeoutSeconds: 3, periodSeconds: 15, failureThreshold: 4 }),
      ...listing({}),
    },
    annotations: { 'sidecar.istio.io/status': '{"containers":["istio-proxy"]}' },
  },
  Linkerd: {
    proxy: { name: 'linkerd-proxy', readinessProbe: http(4191, '/ready', { initialDelaySeconds: 2 }) },
    annotations: { 'linkerd.io/proxy-version': '2.14' },
  },
  Consul: {
    proxy: { name: 'consul-dataplane', readinessProbe: { tcpSocket: { port: 20_000 }, initialDelaySeconds: 1 } },
    annotations: { 'consul.hashicorp.com/connect-inject-status': 'injected' },
  },
  Kuma: {
    proxy: { name: 'kuma-sidecar', readinessProbe: http(9901, '/ready', { timeoutSeconds: 3, periodSeconds: 5 }) },
    annotations: { 'kuma.io/sidecar-injected': 'true' },
  },
};

/** A container that is missing one of the probes that a floor requires. */
const REQUIREMENTS = ['required-liveness', 'required-startup'];

/** Where a container with the name of a proxy is the author's, with all else that the injector writes. */
const PLACES: Readonly<Record<string, (proxy: JsonObject, annotations: JsonObject) => JsonObject>> = {
  'a template of a Deployment': (proxy, annotations) =>
    objectOf(DEPLOYMENT, { annotations, containers: [appContainer(probed), proxy] }),
  'a native sidecar of a Deployment': (proxy, annotations) =>
    objectOf(DEPLOYMENT, {
      ...{ annotations, containers: [appContainer(probed)] },
      initContainers: [{ ...proxy, restartPolicy: 'Always' }],
    }),
  'a template of a Rollout': (proxy, annotations) =>
    objectOf(ROLLOUT, { annotations, containers: [appContainer(probed), proxy] }),
  'a Pod without the work of the injector': (proxy) =>
    objectOf(POD, { containers: [appContainer(probed), { ...proxy, env: [] }] }),
};

const named: readonly Disguise[] = Object.entries(PROXIES).flatMap(([mesh, { proxy, annotations }]) =>
  Object.entries(PLACES).flatMap(([place, made]) => {
    const probe = proxy['readinessProbe'] as JsonObject;
    const row = { answer: 'denied' } as const;
    return [
      ...FLOORS.map(({ of, floors, spoiled, honest }): Disguise => {
        const object = made({ ...proxy, readinessProbe: spoiled(probe) }, annotations);
        const kept = made({ ...proxy, readinessProbe: honest(probe) }, annotations);
        return {
          ...row,
          pretends: `${place} has the proxy of ${mesh}, past a floor of ${of}`,
          floors,
          object,
          honest: kept,
        };
      }),
      ...REQUIREMENTS.map((check): Disguise => {
        const floors = { [check]: { sidecars: true } };
        const kept = made({ ...proxy, livenessProbe: exec, startupProbe: exec }, annotations);
        const object = made(proxy, annotations);
        return { ...row, pretends: `${place} has the proxy of ${mesh}, past ${check}`, floors, object, honest: kept };
      }),
    ];
  }),
);

const agent = http(15_020, '/app-health/app/readyz');
const path = '/app-health/app/readyz';
const plain = http(8080, '/ready');
const istio = PROXIES['Istio'] ?? { proxy: {}, annotations: {} };

/** An object with Istio's proxy and a list, and the application's probe. */
const inIstio = (listed: JsonObject, probe: JsonObject = agent, of = POD, parts: Parts = {}): JsonObject =>
  objectOf(of, {
    containers: [{ ...istio.proxy, ...listing(listed) }, appContainer({ readinessProbe: probe })],
    ...{ annotations: istio.annotations, ...parts },
  });
const floorOf = (check: string): JsonObject => FLOORS.find(({ floors }) => check in floors)?.floors ?? { [check]: {} };

/** Lists of a Pod whose author wrote all that Istio's injector writes, and the check that judges what the list has. */
const LISTS: readonly (readonly [lists: string, listed: JsonObject, check: string])[] = [
  ['a probe of another host', { [path]: { httpGet: { path: '/', port: 80, host: HOST } } }, 'probe-host'],
  ['a TCP probe of another host', { [path]: { tcpSocket: { port: 80, host: HOST } } }, 'probe-host'],
  ['a forbidden handler', { [path]: plain }, 'probe-handler'],
  ['a port that nothing declares', { [path]: http(9090, '/') }, 'undeclared-port'],
  ['a whole URL', { [path]: http(8080, 'http://x/') }, 'path-url'],
  ['a command', { [path]: { exec: { command: ['true'] } } }, 'undeclared-port'],
  ['two handlers', { [path]: { ...plain, tcpSocket: { port: 8080 } } }, 'undeclared-port'],
  ['no probe', {}, 'undeclared-port'],
  ['no handler', { [path]: {} }, 'undeclared-port'],
  ['the probe of another container', { '/app-health/other/readyz': plain }, 'undeclared-port'],
  ['another kind of probe', { '/app-health/app/livez': plain }, 'undeclared-port'],
];

const imitated: readonly Disguise[] = LISTS.map(([lists, listed, check]): Disguise => {
  const honest = check === 'probe-handler' ? inIstio({}, exec) : inIstio({ [path]: plain });
  const row = { floors: floorOf(check), honest, answer: 'denied' } as const;
  return { ...row, pretends: `an imitated Istio lists ${lists}`, object: inIstio(listed) };
});

const undeclared = { floors: { 'undeclared-port': {} }, answer: 'denied' } as const;
const proxy = { ...istio.proxy, ...listing({ [path]: plain }) };
const app = appContainer({ readinessProbe: agent });
const off = { 'sidecar.istio.io/rewriteAppHTTPProbers': 'false' };

/** Lists in places where no injector writes them. */
const misplaced: readonly Disguise[] = [
  { pretends: 'a template has what Istio lists', object: inIstio({ [path]: plain }, agent, DEPLOYMENT) },
  { pretends: 'a CronJob has what Istio lists', object: inIstio({ [path]: plain }, agent, CRON_JOB) },
  {
    pretends: 'a container of another name lists probes',
    object: inIstio({}, agent, POD, { containers: [{ ...proxy, name: 'istio' }, app] }),
  },
  {
    pretends: 'an init container lists probes',
    object: inIstio({}, agent, POD, { containers: [app], initContainers: [{ ...proxy, readinessProbe: null }] }),
  },
  {
    pretends: 'the application lists probes for itself',
    object: inIstio({}, agent, POD, { containers: [{ ...app, ...listing({ [path]: plain }) }] }),
  },
  {
    pretends: 'a list is replaced by a later variable',
    object: inIstio({}, agent, POD, {
      containers: [{ ...proxy, env: [...(proxy['env'] as JsonObject[]), ...listing({}).env] }, app],
    }),
  },
  {
    pretends: 'the probe of a Pod has headers that its list lacks',
    object: inIstio(
      { [path]: plain },
      { ...agent, httpGet: { ...handlerOf(agent), httpHeaders: [{ name: 'a', value: 'b' }] } },
    ),
  },
  {
    pretends: 'a probe is redirected where the Pod tells Istio to redirect nothing',
    object: inIstio({}, agent, POD, { annotations: { ...istio.annotations, ...off } }),
  },
].map((row) => ({ ...undeclared, honest: inIstio({ [path]: plain }), ...row }));

const required: readonly Disguise[] = [
  {
    pretends: 'an application beside the proxy of Istio owes no liveness probe',
    ...{ floors: { 'required-liveness': {} }, answer: 'denied', object: inIstio({ [path]: plain }) },
  },
  {
    pretends: 'nothing: a redirected readiness probe is the one that a floor requires',
    ...{ answer: 'allowed', object: inIstio({ [path]: plain }) },
  },
  {
    pretends: 'nothing: the proxy of Istio is there without a list, since its Pod switches it off',
    ...{ floors: { 'required-liveness': {} }, answer: 'allowed' },
    object: inIstio({}, plain, POD, {
      annotations: { ...istio.annotations, ...off },
      containers: [{ ...proxy, env: [] }, appContainer(probed)],
    }),
  },
];

const imitatedTimes: readonly Disguise[] = FLOORS.slice(0, 3).map(({ of, floors, spoiled }): Disguise => ({
  ...{ pretends: `a probe that Istio lists has the times or the host of its Pod, past a floor of ${of}` },
  ...{
    floors,
    object: inIstio({ [path]: plain }, spoiled(agent)),
    honest: inIstio({ [path]: plain }),
    answer: 'denied',
  },
}));

const longTimes: readonly Disguise[] = Object.entries(PROXIES).flatMap(([mesh, { proxy, annotations }]) =>
  FLOORS.map(({ of, floors, spoiled }): Disguise => {
    const made = (readinessProbe: unknown): JsonObject =>
      objectOf(POD, { annotations, containers: [appContainer(probed), { ...proxy, readinessProbe }] });
    const honest = made(proxy['readinessProbe']);
    const object = made(of === 'handlers' ? { grpc: { port: 1 } } : spoiled(proxy['readinessProbe'] as JsonObject));
    return {
      pretends: `an imitated proxy of ${mesh} has a probe of its own, past a floor of ${of}`,
      floors,
      object,
      honest,
      answer: 'denied',
    };
  }),
);

/** Pods that an injector has changed: floors must not deny what the mesh wrote. */
const injected: readonly Disguise[] = Object.entries(PROXIES).flatMap(([mesh, { proxy, annotations }]) =>
  [...FLOORS.map(({ floors }) => floors), ...REQUIREMENTS.map((check) => ({ [check]: {} }))].map((floors): Disguise => {
    const own = 'probe-handler' in floors || 'required-startup' in floors || 'required-liveness' in floors;
    const probe = mesh === 'Istio' && !own ? agent : exec;
    const beside = appContainer({ ...probed, readinessProbe: probe });
    const containers = [{ ...proxy, ...(mesh === 'Istio' && listing({ [path]: plain })) }, beside];
    const [check] = Object.keys(floors);
    return {
      ...{ pretends: `nothing: ${mesh} has injected its proxy into a Pod, under a floor of ${check}` },
      ...{ floors, object: objectOf(POD, { annotations, containers }), answer: 'allowed' },
    };
  }),
);

/** Probes and containers that pretend to be a mesh's. */
export const OF_MESHES: readonly Disguise[] = [
  ...redirected,
  ...named,
  ...imitated,
  ...misplaced,
  ...required,
  ...imitatedTimes,
  ...longTimes,
  ...injected,
];
