import fc from 'fast-check';
import { customResourceDefinition, type OwnKind } from '../../scripts/crds/crd.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { ACTIONS } from '../../src/engine/policy/action.ts';
import { HANDLERS, PROBE_LIMITS, PROBES } from '../../src/engine/policy/probe-schema.ts';
import { fieldsOfCheck } from '../../src/engine/policy/read-checks.ts';
import { readField } from '../../src/engine/policy/read-field.ts';
import { Reader, type Problem } from '../../src/engine/policy/reader.ts';
import { POLICY_SPEC } from '../../src/engine/policy/schema.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS, type ProbeKind } from '../../src/engine/probe/probe.ts';
import shortOddValues from '../fixtures/engine/odd-values.json' with { type: 'json' };
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import type { OpenApiSchema } from '../../scripts/crds/open-api-schema.ts';
import type { Field, Fields } from '../../src/engine/policy/field.ts';

/** Any of the members, each with its arbitrary. */
function anyOf(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [] });
}

const orNull = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(arbitrary, { freq: 5 });
const path = fc.constantFrom('/', '/healthz', '/a?b=c#d', '/é/%zz', `/${'p'.repeat(4095)}`);
const TEXTS = [
  ...['', 'web', 'app', 'A.b_c-9', 'a.b-c/D_e.f', 'x'.repeat(63), '0', 'a--b', '*', 'bitnami/postgresql', '*/keycloak'],
  ...['localhost', '127.0.0.1', '::1', '[::1]', 'a_b.example', 'X-A-1', 'a b', 'tab\tbed', 'é😀', 'sh', '-c', '/x y'],
];

/** True if the parser has nothing against a value. Lists of checks need the catalogue. */
function isRead(field: Field, value: unknown): boolean {
  const problems: Problem[] = [];
  if (field.type !== 'checkIds' && field !== POLICY_SPEC.fields['exceptions'])
    readField(field, new Reader(value, [], problems));
  return problems.length === 0;
}

const recordOf = (fields: Fields): fc.Arbitrary<JsonObject> => {
  const required = Object.keys(fields).filter((name) => fields[name]?.required !== undefined);
  const members = Object.entries(fields).map(([name, field]) => [name, valueOf(field)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: required });
};
const some = (texts: readonly string[], minLength = 1): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...texts), { minLength, maxLength: 3 });

/** Valid values of a field, as its schema says. */
function valueOf(field: Field): fc.Arbitrary<unknown> {
  const value = shapeOf(field).filter((one) => isRead(field, one));
  return field.nullMeans === undefined ? value : orNull(value);
}

function shapeOf(field: Field): fc.Arbitrary<unknown> {
  switch (field.type) {
    case 'integer': {
      const { minimum = 0, maximum = 2_147_483_647 } = field;
      return fc.constantFrom(minimum, Math.min(maximum, Math.max(minimum, 10)), maximum);
    }
    case 'number':
      return fc.constantFrom(field.minimum, field.maximum);
    case 'boolean':
      return fc.boolean();
    case 'action':
      return fc.constantFrom(...ACTIONS, false);
    case 'port':
      return fc.constantFrom(1, 80, 8080, 65_535, 'http', 'a-1', '1a', '9-z-9', 'abcdefghijklmno');
    case 'path':
      return path;
    case 'text':
      return fc.constantFrom(...TEXTS.filter((text) => isRead(field, text)));
    case 'names':
    case 'strings':
      return some(TEXTS.filter((text) => isRead(field, [text])));
    case 'choice':
      return fc.constantFrom(...field.choices);
    case 'choices':
      return some(field.choices);
    case 'checkIds':
      return some(Object.keys(CHECK_CATALOGUE), field.fewest);
    case 'list':
      return fc.array(valueOf(field.items), { minLength: field.empty === undefined ? 0 : 1, maxLength: 3 });
    case 'map':
      return fc.dictionary(
        fc.constantFrom(...TEXTS.filter((key) => field.keyProblem(key) === undefined)),
        valueOf(field.values),
        { maxKeys: 3 },
      );
    case 'object':
    case 'group':
      return recordOf(field.fields);
    case 'bounds':
      return recordOf(PROBE_LIMITS);
    default:
      throw new Error(`no values of type ${field.type}`);
  }
}

function probe(kind: ProbeKind): fc.Arbitrary<unknown> {
  const handler = fc
    .constantFrom(...HANDLER_KINDS)
    .chain((handler) => valueOf(HANDLERS[handler]).map((fields) => ({ [handler]: fields })));
  const integers = PROBE_INTEGERS.flatMap((name) => {
    const field = PROBES[kind].fields[name];
    const isForbidden = name === 'terminationGracePeriodSeconds' && kind === 'readinessProbe';
    return field === undefined ? [] : [[name, isForbidden ? fc.constant(null) : valueOf(field)] as const];
  });
  return fc
    .tuple(fc.option(handler), anyOf(Object.fromEntries(integers)))
    .map(([own, numbers]) => ({ ...own, ...numbers }));
}

/** An endpoint and a probe's entry, such as may stand together. */
const describedProbe = (kind: ProbeKind): fc.Arbitrary<readonly [endpoint: JsonObject, entry: JsonObject]> =>
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

function checks(kind: OwnKind): fc.Arbitrary<JsonObject> {
  const settings = Object.values(CHECK_CATALOGUE).map((check) =>
    recordOf(ofKind(fieldsOfCheck(check), kind)).map((setting) => ({ [check.id]: setting })),
  );
  return fc.array(fc.oneof(...settings), { maxLength: 3 }).map((list) => Object.assign({}, ...list) as JsonObject);
}

/** The fields of a kind, but for those that depend on each other. */
function ofKind(fields: Fields, kind: OwnKind): Fields {
  const apart = ['kubernetesProbeEndpoints', 'probes', 'images', 'checks'];
  const own = Object.entries(fields).filter(([name, { only = kind }]) => only === kind && !apart.includes(name));
  return Object.fromEntries(own);
}

/** Specs that the parser accepts, with nearly everything that a policy may say. */
export function validSpec(kind: OwnKind): fc.Arbitrary<JsonObject> {
  const probes = fc.tuple(...PROBE_KINDS.map(describedProbe)).map((described) => ({
    kubernetesProbeEndpoints: Object.assign({}, ...described.map(([endpoint]) => endpoint)) as JsonObject,
    probes: Object.assign({}, ...described.map(([, entry]) => entry)) as JsonObject,
  }));
  const rest = recordOf(ofKind(POLICY_SPEC.fields, kind));
  const images = fc.constantFrom(['postgres'], ['bitnami/postgresql', '*/keycloak'], ['*']);
  const imagesOrChecks = fc.oneof(
    { arbitrary: anyOf({ checks: checks(kind) }), weight: 4 },
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
