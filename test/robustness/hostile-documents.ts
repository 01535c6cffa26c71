import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { FULL_CLUSTER_SPEC, FULL_SPEC } from '../engine/policy/policy-specs.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { parseYamlDocuments } from '../../src/yaml/reading/documents.ts';

const root = join(import.meta.dirname, '../..');
const textsIn = (directory: string, ending: string): string[] =>
  readdirSync(join(root, directory))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, directory, name), 'utf8'));
const yamlValues = (text: string): unknown[] => parseYamlDocuments('', text).documents.map(({ value }) => value);

/** What is put where something else belongs: values, keys, and pieces of text. */
const VALUES = JSON.parse(readFileSync(join(root, 'test/fixtures/hostile-values.json'), 'utf8')) as {
  readonly intruders: readonly unknown[];
  readonly keys: readonly string[];
  readonly scars: readonly string[];
};

/** Reviews as a real API server sent them. */
const reviews: readonly unknown[] = textsIn('test/fixtures/reviews', '.json').map(
  (text) => JSON.parse(text) as unknown,
);

const policies: readonly unknown[] = [
  ...textsIn('examples/policies', '.yaml').flatMap(yamlValues),
  policyDocument(FULL_SPEC),
  clusterPolicyDocument(FULL_CLUSTER_SPEC),
];

/** The objects in the reviews, and a manifest of the examples. */
const manifests: readonly unknown[] = [
  ...reviews.map((review) => (review as { request: { object?: unknown } }).request.object ?? {}),
  ...textsIn('examples/manifests', '.yaml').flatMap(yamlValues),
];

/** What is put where something else belongs. */
const intruder: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...VALUES.intruders),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const key = fc.oneof(fc.constantFrom(...VALUES.keys), fc.string({ maxLength: 8 }));

/** One thing done to a document; `at` says where, counted in its nodes, modulo their number. */
interface Edit {
  readonly at: number;
  readonly what: 'replace' | 'wrap' | 'double' | 'remove' | 'nest' | 'add' | 'rename';
  /** For the last two. */
  readonly key?: string;
  readonly value: unknown;
}
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    at: fc.nat(5000),
    what: fc.constantFrom(
      'replace' as const,
      'replace' as const,
      'wrap' as const,
      'double' as const,
      'remove' as const,
      'nest' as const,
    ),
    value: intruder,
  }),
  fc.record({ at: fc.nat(5000), what: fc.constantFrom('add' as const, 'rename' as const), key, value: intruder }),
);

/** A member, by the object or list that it is in. */
interface Place {
  readonly parent: Record<string, unknown> | unknown[];
  readonly step: string;
}

function placesIn(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return places;
  for (const step of Object.keys(value)) {
    places.push({ parent: value as Place['parent'], step });
    placesIn((value as Record<string, unknown>)[step], places);
  }
  return places;
}

/** As a parser does it: `__proto__` is a member like any other. */
function set(object: object, step: string, value: unknown): void {
  // A list has none but its items in JSON.
  if (Array.isArray(object) && !/^\d+$/.test(step)) return;
  Object.defineProperty(object, step, { value, writable: true, enumerable: true, configurable: true });
}

function edited(base: unknown, edits: readonly Edit[]): unknown {
  const document: unknown = JSON.parse(JSON.stringify(base));
  for (const change of edits) {
    const places = placesIn(document);
    const place = places[change.at % Math.max(1, places.length)];
    if (place !== undefined) apply(place, change);
  }
  return document;
}

function apply({ parent, step }: Place, change: Edit): void {
  const old: unknown = Object.getOwnPropertyDescriptor(parent, step)?.value;
  if (change.what === 'replace') set(parent, step, structuredCloneOf(change.value));
  else if (change.what === 'wrap') set(parent, step, [old]);
  else if (change.what === 'double')
    set(parent, step, Array.isArray(old) ? [...(old as unknown[]), ...(old as unknown[])] : [old, old]);
  else if (change.what === 'nest') set(parent, step, { [step]: old });
  else if (change.what === 'remove') Reflect.deleteProperty(parent, step);
  else if (change.what === 'rename') {
    Reflect.deleteProperty(parent, step);
    set(parent, change.key ?? '', old);
  } else if (typeof old === 'object' && old !== null) set(old, change.key ?? '', structuredCloneOf(change.value));
}

const structuredCloneOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

function documentOf(bases: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...bases), fc.array(edit, { maxLength: 6 }))
    .map(([base, edits]) => edited(base, edits));
}

/** What is done to a text: bytes lost, doubled or changed, and words of JSON and YAML in the wrong place. */
const scar = fc.record({
  at: fc.nat(),
  length: fc.nat(30),
  put: fc.oneof(fc.constantFrom(...VALUES.scars, '9'.repeat(400)), fc.string({ unit: 'binary', maxLength: 6 })),
});

function scarred(text: string, scars: readonly { at: number; length: number; put: string }[]): string {
  return scars.reduce((now, { at, length, put }) => {
    const start = at % (now.length + 1);
    return now.slice(0, start) + put + now.slice(start + length);
  }, text);
}

const rawText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.json(),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

function textOf(bases: readonly unknown[], print: (value: unknown) => string): fc.Arbitrary<string> {
  const document = documentOf(bases).map(print);
  return fc.oneof(
    { arbitrary: document, weight: 6 },
    {
      arbitrary: fc
        .tuple(document, fc.array(scar, { minLength: 1, maxLength: 3 }))
        .map(([text, scars]) => scarred(text, scars)),
      weight: 3,
    },
    { arbitrary: rawText, weight: 1 },
  );
}

const asJson = (value: unknown): string => JSON.stringify(value);
/** In block style, with aliases where an object stands twice. */
function asYaml(value: unknown): string {
  try {
    return stringify(value);
  } catch {
    return asJson(value);
  }
}

/** Texts for each sort of reader: real documents with faults in their structure, real texts with faults in their bytes, and noise. */
export const hostileReview = textOf(reviews, asJson);
export const hostilePolicy = textOf(policies, asJson);
export const hostilePolicyFile = fc.oneof(textOf(policies, asYaml), hostilePolicy);
export const hostileManifest = fc.oneof(textOf(manifests, asYaml), textOf(manifests, asJson));
