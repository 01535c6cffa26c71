import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  CollectedFacts,
  PolicyCollection,
  formatFileProblem,
  placeOfPolicy,
  type PolicyPlaces,
} from '../../../src/cluster/sources/policy-documents.ts';
import { PROBE_EXCEPTIONS, SERVICES, STARTUP_PROFILES } from '../../../src/cluster/sources/fact-kinds.ts';
import { MORE_PROBLEMS } from '../../../src/engine/policy/reader.ts';
import { yamlFileParts } from '../../../src/yaml/reading/documents.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { clusterPolicyDocument, policyDocument } from '../../support/worlds.ts';

/** What is collected from files, each with its documents. */
function collected(files: Readonly<Record<string, readonly unknown[]>>, places?: PolicyPlaces): PolicyCollection {
  const collection = new PolicyCollection('home', places);
  for (const [file, documents] of Object.entries(files)) {
    const text = documents.map((each) => (typeof each === 'string' ? each : stringify(each))).join('---\n');
    for (const part of yamlFileParts(file, text)) collection.addPart(part);
  }
  return collection;
}
const collectedOf = (...documents: unknown[]): PolicyCollection => collected({ 'a.yaml': documents });
const lines = ({ problems }: PolicyCollection): string[] => problems.map(formatFileProblem);
const sources = ({ policies }: PolicyCollection): string[] => policies.map(({ source }) => source);

const namespace = (name: string, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});
const service = (name: string, port: number, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'apps', ...metadata },
  spec: { selector: { app: 'web' }, ports: [{ port }] },
});

describe('the documents of files', () => {
  it('are policies of both kinds, Namespaces with labels, exceptions and Services', () => {
    const documents = [policyDocument({}), clusterPolicyDocument({}), namespace('apps', { tier: 'web' })];
    const collection = collectedOf(...documents, exceptionDocument(), service('web', 80));
    expect([lines(collection), collection.warnings]).toEqual([[], []]);
    expect(sources(collection)).toEqual(['ProbePolicy/apps/policy', 'ClusterProbePolicy/cluster']);
    const { namespaceLabels, exceptions, services } = collection.facts;
    expect(namespaceLabels).toEqual(new Map([['apps', new Map([['tier', 'web']])]]));
    expect(exceptions.ofNamespace('apps').map(({ name }) => name)).toEqual(['legacy']);
    expect(services?.ofNamespace('apps').map(({ name }) => name)).toEqual(['web']);
  });

  it('may be in Lists, also in Lists within Lists', () => {
    const inner = { apiVersion: 'v1', kind: 'List', items: [policyDocument({}, 'inner')] };
    const collection = collectedOf({ apiVersion: 'v1', kind: 'List', items: [policyDocument({}, 'outer'), inner] });
    expect([lines(collection), sources(collection)]).toEqual([
      [],
      ['ProbePolicy/apps/outer', 'ProbePolicy/apps/inner'],
    ]);
  });

  it('belong to the namespace of the collection where they name none', () => {
    const given = { ...service('web', 80), metadata: { name: 'web' } };
    const places: PolicyPlaces = new Map();
    const { facts } = collected({ 'a.yaml': [given] }, places);
    expect([[...(facts.services?.lists.keys() ?? [])], [...places.keys()]]).toEqual([['home'], ['Service/home/web']]);
    const unnamed = new PolicyCollection();
    for (const part of yamlFileParts('a.yaml', stringify(given))) unnamed.addPart(part);
    expect([...(unnamed.facts.services?.lists.keys() ?? [])]).toEqual(['default']);
  });

  it('have their places noted by source', () => {
    const places: PolicyPlaces = new Map();
    collected({ 'a.yaml': [policyDocument({}), { kind: 'List', items: [exceptionDocument()] }] }, places);
    expect([...places].map(([source, { document, path }]) => [source, document.file, path])).toEqual([
      ['ProbePolicy/apps/policy', 'a.yaml', []],
      ['ProbeException/apps/legacy', 'a.yaml', ['items', 0]],
    ]);
  });

  it('have the place of each field, or of the nearest field around it', () => {
    const places: PolicyPlaces = new Map();
    const policy =
      'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: a, namespace: apps }\nspec: {}\n';
    collected({ 'a.yaml': [policy] }, places);
    const placeOf = (...field: string[]) => placeOfPolicy(places, 'ProbePolicy/apps/a', field);
    expect(placeOf('metadata', 'name')).toEqual({ file: 'a.yaml', line: 3, column: 13 });
    expect(placeOf('spec', 'checks', 'exec-cost')).toEqual({ file: 'a.yaml', line: 4, column: 1 });
    expect(placeOfPolicy(places, 'ProbePolicy/apps/b', [])).toBeUndefined();
  });
});

describe('a problem of a file', () => {
  it.each([
    ['kind: ProbPolicy', '1:1: kind: unknown kind "ProbPolicy"; did you mean "ProbePolicy"?'],
    [
      'kind: Ingress',
      '1:1: kind: unknown kind "Ingress"; a policy directory holds ProbePolicy, ClusterProbePolicy, ProbeException, ' +
        'Service, StartupProfile, Namespace',
    ],
    ['kind: List\nitems: 3', '2:1: items: must be a list'],
    ['kind: List\nitems: [{kind: Serice}]', '2:10: kind: unknown kind "Serice"; did you mean "Service"?'],
    ['[1]', '1:1: must be an object, not [1]'],
    ['kind: 3', '1:1: apiVersion: must be probewright.dev/v1alpha1, not nothing'],
    ['kind: Namespace\nmetadata: {}', '2:1: metadata.name: must be given'],
  ])('names the place of %s', (text, line) => expect(lines(collectedOf(text))[0]).toMatch(`a.yaml:${line}`));

  it('is reported of a mistake in YAML, and the other documents are read', () => {
    const collection = collectedOf('kind: [\n', policyDocument({}));
    expect(lines(collection)).toEqual([expect.stringMatching(/^a\.yaml:/)]);
    expect(sources(collection)).toEqual(['ProbePolicy/apps/policy']);
  });

  it('stands at the key of the field, with the path, and the policy is not in force', () => {
    const collection = collectedOf('# comment\n', policyDocument({ port: 70_000 }));
    expect(lines(collection)).toEqual(['a.yaml:9:3: spec.port: must be at most 65535, not 70000']);
    expect(sources(collection)).toEqual([]);
    const broken = collectedOf(exceptionDocument({ checks: ['no-such-check'] }));
    expect(lines(broken)).toEqual([expect.stringContaining('spec.checks[0]: unknown check "no-such-check"')]);
    expect(broken.facts.exceptions.ofNamespace('apps')).toEqual([]);
  });

  it('is a second policy or exception of one name, and the first stays in force', () => {
    const collection = collected({
      'a.yaml': [policyDocument({ port: 1 }), exceptionDocument()],
      'b.yaml': [policyDocument({ port: 2 }), policyDocument({}, 'policy', 'other'), exceptionDocument()],
    });
    expect(lines(collection)).toEqual([
      'b.yaml:4:3: metadata.name: ProbePolicy/apps/policy is also at a.yaml:1',
      expect.stringMatching(/^b\.yaml:\d+:3: metadata\.name: ProbeException\/apps\/legacy is also at a\.yaml:9$/),
    ]);
    expect(collection.policies.map(({ port }) => port)).toEqual([1, undefined]);
    expect(collection.facts.exceptions.ofNamespace('apps')).toHaveLength(1);
  });

  it('is no second Service of one name, because files may be for several clusters', () => {
    const collection = collectedOf(service('web', 80), service('web', 81), namespace('apps'), namespace('apps'));
    const texts = collection.facts.services?.ofNamespace('apps').map(({ text }) => text);
    expect([lines(collection), texts]).toEqual([[], [expect.stringContaining('80'), expect.stringContaining('81')]]);
  });

  it('is cut after 500 characters', () => {
    const [line = ''] = collectedOf({ ...policyDocument({}), ['x'.repeat(1000)]: 1 }).problems;
    expect((line as { message: string }).message).toHaveLength(500);
  });
});

describe('a file with too many problems', () => {
  const bad = (count: number): unknown => ({
    kind: 'List',
    items: Array.from({ length: count }, () => ({ kind: 'x' })),
  });

  it('has a hundred listed, and one line about the rest', () => {
    expect(collectedOf(bad(100)).problems.map(({ message }) => message)).not.toContain(MORE_PROBLEMS);
    expect(collectedOf(bad(100)).isFull('a.yaml')).toBe(false);
    const over = collectedOf(bad(101));
    expect([over.problems.length, over.problems.at(-1)?.message, over.isFull('a.yaml')]).toEqual([
      101,
      MORE_PROBLEMS,
      true,
    ]);
    expect(collectedOf(bad(300)).problems).toHaveLength(101);
    over.addProblem({ file: 'a.yaml', line: 1, column: 1, message: 'one more' });
    expect(over.problems).toHaveLength(101);
  });

  it('is not read on, and other files are', () => {
    const collection = collected({
      'a.yaml': [{ kind: 'List', items: [...(bad(101) as { items: unknown[] }).items, policyDocument({})] }],
      'b.yaml': [policyDocument({}), { kind: 'Ingress' }],
    });
    expect([sources(collection), collection.problems.length]).toEqual([['ProbePolicy/apps/policy'], 102]);
    expect([collection.isFull('b.yaml'), collection.isFull('none.yaml')]).toEqual([false, false]);
  });
});

describe('the warnings of a file', () => {
  const warned = (name: string): unknown => policyDocument({ probes: { livenessProbe: {} } }, name);
  const names = (count: number): unknown[] => Array.from({ length: count }, (_, index) => warned(`p${index}`));

  it('stand at the key of the field, and the policy is in force', () => {
    const collection = collectedOf(warned('web'));
    expect(collection.warnings.map(formatFileProblem)).toEqual([
      expect.stringMatching(/^a\.yaml:8:5: spec\.probes\.livenessProbe: /),
    ]);
    expect([sources(collection), collection.problems]).toEqual([['ProbePolicy/apps/web'], []]);
  });

  it('are at most a hundred, of each file', () => {
    expect(collectedOf(...names(100)).warnings).toHaveLength(100);
    const { warnings } = collected({ 'a.yaml': names(102), 'b.yaml': [warned('more')] });
    expect([warnings.length, warnings.at(-1)?.file, warnings.at(-2)?.file]).toEqual([101, 'b.yaml', 'a.yaml']);
  });
});

describe('the facts of a collection', () => {
  it('are sorted by name, whatever the order of files', () => {
    const facts = new CollectedFacts();
    const exception = parsedException(exceptionDocument());
    for (const name of ['b', 'c', 'a']) facts.add(PROBE_EXCEPTIONS, 'apps', { ...exception, name });
    expect(facts.facts.exceptions.ofNamespace('apps').map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('are unknown of a kind that was not read, and empty of one that was', () => {
    const facts = new CollectedFacts();
    expect([facts.facts.services, [...facts.facts.starts.lists]]).toEqual([undefined, []]);
    expect(facts.addKind(SERVICES)).toBe(facts.addKind(SERVICES));
    facts.addKind(STARTUP_PROFILES);
    expect([[...(facts.facts.services?.lists ?? ['none'])], [...facts.facts.starts.lists]]).toEqual([[], []]);
  });
});
