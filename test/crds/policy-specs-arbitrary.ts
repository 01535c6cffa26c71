import fc from 'fast-check';
import { customResourceDefinition, type OwnKind } from '../../scripts/crds/crd.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { ACTIONS } from '../../src/engine/policy/action.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS } from '../../src/engine/probe/probe.ts';
import shortOddValues from '../fixtures/engine/odd-values.json' with { type: 'json' };
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import type { OpenApiSchema } from '../../scripts/crds/open-api-schema.ts';
import type { CheckParameter } from '../../src/engine/policy/check-parameters.ts';

/** Any of the members, each with its arbitrary. */
function anyOf(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [] });
}

const label = fc.constantFrom('app', 'tier', 'app.kubernetes.io/name', 'a.b-c/D_e.f', 'X');
const labelValue = fc.constantFrom('', 'web', 'A.b_c-9', 'x'.repeat(63));
const selector = anyOf({
  matchLabels: fc.dictionary(label, labelValue, { maxKeys: 3 }),
  matchExpressions: fc.array(
    fc.oneof(
      fc.record({
        key: label,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(labelValue, { minLength: 1, maxLength: 3 }),
      }),
      fc.record(
        { key: label, operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant([]) },
        { requiredKeys: ['key', 'operator'] },
      ),
    ),
    { maxLength: 3 },
  ),
});

const port = fc.constantFrom(1, 80, 8080, 65_535, 'http', 'a-1', '1a', '9-z-9', 'abcdefghijklmno');
const path = fc.constantFrom('/', '/healthz', '/a?b=c#d', '/é/%zz', `/${'p'.repeat(4095)}`);
const host = fc.constantFrom('', 'localhost', '127.0.0.1', '::1', '[::1]', 'a_b.example');
const handlers: Readonly<Record<(typeof HANDLER_KINDS)[number], fc.Arbitrary<unknown>>> = {
  exec: fc.record({ command: fc.array(fc.constantFrom('sh', '-c', 'true', '/x y'), { minLength: 1, maxLength: 3 }) }),
  httpGet: anyOf({
    path,
    port,
    host,
    scheme: fc.constantFrom('HTTP', 'HTTPS'),
    httpHeaders: fc.array(
      fc.record({ name: fc.constantFrom('Host', 'X-A-1'), value: fc.constantFrom('', 'a b', 'tab\tbed', 'é😀') }),
      { maxLength: 2 },
    ),
  }),
  tcpSocket: fc.record({ port, host }, { requiredKeys: ['port'] }),
  grpc: fc.record(
    { port: fc.constantFrom(1, 50_051, 65_535), service: fc.constantFrom('', 'a.B') },
    { requiredKeys: ['port'] },
  ),
};
const handler = fc.constantFrom(...HANDLER_KINDS).chain((kind) => handlers[kind].map((fields) => ({ [kind]: fields })));

const orNull = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(arbitrary, { freq: 5 });
const seconds = orNull(fc.constantFrom(1, 5, 300, 2_147_483_647));

function probe(kind: string): fc.Arbitrary<unknown> {
  const integers = PROBE_INTEGERS.map((field): [string, fc.Arbitrary<unknown>] => {
    if (field === 'successThreshold' && kind !== 'readinessProbe') return [field, orNull(fc.constant(1))];
    if (field === 'terminationGracePeriodSeconds' && kind === 'readinessProbe') return [field, fc.constant(null)];
    return [field, field === 'initialDelaySeconds' ? orNull(fc.constantFrom(0, 30)) : seconds];
  });
  return fc
    .tuple(fc.option(handler), anyOf(Object.fromEntries(integers)))
    .map(([own, numbers]) => ({ ...own, ...numbers }));
}

/** An endpoint and a probe's entry, such as may stand together. */
const describedProbe = (kind: string): fc.Arbitrary<readonly [endpoint: JsonObject, entry: JsonObject]> =>
  fc.oneof(
    fc.constant([{}, {}] as const),
    fc.constantFrom(
      [{ [kind]: null }, {}] as const,
      [{}, { [kind]: null }] as const,
      [{ [kind]: null }, { [kind]: null }] as const,
      [{}, { [kind]: { disabled: true } }] as const,
      [{ [kind]: '/x' }, { [kind]: { disabled: false, periodSeconds: 5 } }] as const,
    ),
    probe(kind).map((entry) => [{}, { [kind]: entry }] as const),
    path.map((endpoint) => [{ [kind]: endpoint }, {}] as const),
    fc
      .tuple(path, fc.constantFrom<JsonObject>({}, { port: 80 }, { scheme: 'HTTPS' }))
      .map(
        ([endpoint, fields]) =>
          [{ [kind]: endpoint }, { [kind]: { httpGet: { ...fields, path: endpoint }, periodSeconds: 5 } }] as const,
      ),
  );

const action = fc.constantFrom(...ACTIONS, false);

function parameter(shape: CheckParameter): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'integer':
      return fc.constantFrom(shape.minimum ?? 0, Math.max(shape.minimum ?? 0, 10), 2_147_483_647);
    case 'boolean':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...shape.choices);
    case 'strings':
      return fc.uniqueArray(fc.constantFrom('a', 'b', '/c'), { minLength: 1, maxLength: 3 });
    case 'choices':
      return fc.uniqueArray(fc.constantFrom(...shape.choices), { minLength: 1, maxLength: 3 });
    case 'bounds':
      return anyOf(
        Object.fromEntries(
          PROBE_INTEGERS.map((field) => [
            field,
            fc.constantFrom({ minimum: 0 }, { maximum: 5 }, { minimum: 2, maximum: 2 }, { minimum: 1, maximum: 60 }),
          ]),
        ),
      );
    case 'group':
      return anyOf(Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, parameter(field)])));
  }
}

function checks(isCluster: boolean): fc.Arbitrary<JsonObject> {
  const settings = Object.entries(CHECK_CATALOGUE).map(([id, { parameters }]) =>
    anyOf({
      action,
      ...(isCluster && { floor: action }),
      ...Object.fromEntries(Object.entries(parameters).map(([name, shape]) => [name, parameter(shape)])),
    }).map((setting) => ({ [id]: setting })),
  );
  return fc.array(fc.oneof(...settings), { maxLength: 3 }).map((list) => Object.assign({}, ...list) as JsonObject);
}

const learned = orNull(
  anyOf({
    margin: fc.constantFrom(1, 1.5, 10),
    minimumStarts: fc.constantFrom(1, 30),
    minimumSeconds: fc.constantFrom(1, 30),
    maximumSeconds: fc.constantFrom(30, 86_400),
  }),
);

/** Specs that the parser accepts, with nearly everything that a policy may say. */
export function validSpec(kind: OwnKind): fc.Arbitrary<JsonObject> {
  const isCluster = kind === 'ClusterProbePolicy';
  const probes = fc.tuple(...PROBE_KINDS.map(describedProbe)).map((described) => ({
    kubernetesProbeEndpoints: Object.assign({}, ...described.map(([endpoint]) => endpoint)) as JsonObject,
    probes: Object.assign({}, ...described.map(([, entry]) => entry)) as JsonObject,
  }));
  const rest = anyOf({
    workloadSelector: selector,
    containers: fc.constantFrom(['*'], ['app'], ['app', 'worker'], ['0', 'a--b']),
    port: orNull(port),
    slowStart: anyOf({ startupSeconds: seconds, fromInitialDelaySeconds: seconds, learned }),
    ...(isCluster && {
      namespaceSelector: selector,
      priority: fc.constantFrom(-2_147_483_648, -1, 0, 2_147_483_647),
      annotations: fc.constantFrom('Allow', 'Ignore'),
    }),
  });
  const images = fc.constantFrom(['postgres'], ['bitnami/postgresql', '*/keycloak'], ['*']);
  const imagesOrChecks = fc.oneof(
    { arbitrary: anyOf({ checks: checks(isCluster) }), weight: 4 },
    { arbitrary: anyOf({ images }), weight: 1 },
  );
  return fc.tuple(fc.option(probes, { nil: {} }), rest, imagesOrChecks).map(([a, b, c]) => ({ ...a, ...b, ...c }));
}

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

/** Values that are right somewhere and wrong elsewhere; the long ones are made here. */
const oddValues: readonly unknown[] = [
  ...(shortOddValues as readonly unknown[]),
  ...['a'.repeat(253), 'a'.repeat(254), '😀'.repeat(253), '😀'.repeat(254)],
  ...[`/${'p'.repeat(4095)}`, `/${'p'.repeat(4096)}`, `/${'😀'.repeat(4095)}`],
  ...['w'.repeat(131_072), 'w'.repeat(131_073), ['w'.repeat(131_073)], many(64), many(65)],
  ...[126, 127]
    .map((count) => `${'a.'.repeat(count)}a/b`)
    .flatMap((key) => [{ [key]: 'x' }, [{ key, operator: 'Exists' }]]),
  ...[64, 65].flatMap((count) => [
    Object.fromEntries(many(count).map((name) => [name, 'x'])),
    many(count).map((key) => ({ key, operator: 'Exists' })),
  ]),
];

type Site = readonly (string | number)[];

/** Every place of a value: those that are there, and those that the schema knows besides. */
function sites(value: unknown, schema: OpenApiSchema | undefined, at: Site = []): Site[] {
  if (Array.isArray(value))
    return [
      at,
      ...value.flatMap((element, index) => sites(element, schema?.items, [...at, index])),
      [...at, value.length],
    ];
  if (!isJsonObject(value)) return [at];
  const keys = new Set([...Object.keys(value), ...Object.keys(schema?.properties ?? {})]);
  return [
    at,
    ...[...keys].flatMap((key) =>
      sites(value[key], schema?.properties?.[key] ?? schema?.additionalProperties, [...at, key]),
    ),
  ];
}

function withValue(value: unknown, [step, ...rest]: Site, put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value))
    return Object.assign([...(value as unknown[])], { [step]: withValue(value[Number(step)], rest, put) });
  const object = isJsonObject(value) ? value : {};
  return { ...object, [step]: withValue(object[step], rest, put) };
}

/** Mostly valid specs with up to three places changed to something odd. */
export function anySpec(kind: OwnKind, valid: fc.Arbitrary<JsonObject> = validSpec(kind)): fc.Arbitrary<unknown> {
  const schema = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
  const change = fc.record({ site: fc.nat(), value: fc.constantFrom(...oddValues) });
  return fc.tuple(valid, fc.array(change, { maxLength: 3 })).map(([spec, changes]) =>
    changes.reduce<unknown>((changed, { site, value }) => {
      const places = sites(changed, schema);
      return withValue(changed, places[site % places.length] ?? [], value);
    }, spec),
  );
}

/** What an object needs besides the member that is looked at, so that nothing else is wrong with it. */
const companions: Readonly<Record<string, JsonObject>> = {
  exec: { command: ['x'] },
  tcpSocket: { port: 80 },
  grpc: { port: 80 },
  httpHeaders: { name: 'A', value: 'b' },
  matchExpressions: { key: 'a', operator: 'In', values: ['b'] },
};

function schemaSites(schema: OpenApiSchema, at: Site = []): Site[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    schemaSites(property, [...at, key]),
  );
  return [at, ...below, ...(schema.items ? schemaSites(schema.items, [...at, 0]) : [])];
}

function withCompanions(value: unknown, [step, ...rest]: Site, name = ''): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return [withCompanions(undefined, rest, name)];
  const object: JsonObject = companions[name] ?? {};
  return { ...object, [step]: rest.length === 0 ? undefined : withCompanions(undefined, rest, step) };
}

/** An endpoint and an entry for the same probe, in every way in which the two may suit each other or not. */
const describedTwice: readonly JsonObject[] = PROBE_KINDS.flatMap((kind) =>
  [null, '/x', '/y', ''].flatMap((endpoint) =>
    [
      ...[
        null,
        {},
        { periodSeconds: 5 },
        { httpGet: {} },
        { httpGet: { path: '/x' } },
        { httpGet: { path: '/x', port: 80 } },
      ],
      ...[
        { exec: { command: ['x'] } },
        { tcpSocket: { port: 80 } },
        { grpc: { port: 80 } },
        { exec: null, tcpSocket: null },
      ],
    ].map((entry) => ({ kubernetesProbeEndpoints: { [kind]: endpoint }, probes: { [kind]: entry } })),
  ),
);

/** Every place that the schema knows, each with every odd value and nothing else in the spec; and probes described twice. */
export function oddSpecs(kind: OwnKind): JsonObject[] {
  const schema = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'] ?? {};
  const everywhere = schemaSites(schema)
    .slice(1)
    .flatMap((site) => oddValues.map((value) => withValue(withCompanions({}, site), site, value) as JsonObject));
  return [...everywhere, ...describedTwice];
}
