import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { cut } from '../../base/text/cut.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { NO_FACTS, type Facts } from '../../engine/facts/facts.ts';
import { parseProbePolicy } from '../../engine/policy/read-policy.ts';
import { POLICY_KINDS, type ProbePolicy } from '../../engine/policy/probe-policy.ts';
import { MORE_PROBLEMS, formatProblem, type Problem } from '../../engine/policy/reader.ts';
import type { YamlDocument, YamlFilePart } from '../../yaml/reading/documents.ts';
import { FACT_KINDS, NAMESPACES, type FactKind } from './fact-kinds.ts';
import type { FieldPath, PathStep } from '../../base/json/field-path.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import type { Named } from './object-store.ts';
import type { FileProblem } from './policy-source.ts';

export type { FileProblem };

/** Where an object or a policy is written. */
export interface DocumentPlace {
  readonly document: YamlDocument;
  readonly path: readonly PathStep[];
}

type LinePlace = Pick<FileProblem, 'file' | 'line' | 'column'>;

/** The places of policies and facts, by their source: `ProbePolicy/apps/web`. */
export type PolicyPlaces = Map<string, DocumentPlace>;

/**
 * The place of a field in a policy, or of the nearest field around it. Undefined for a policy without a place.
 *
 * @param source the policy: `ProbePolicy/apps/web`
 * @param field the path in the policy's object; [] is the policy itself
 */
export function placeOfPolicy(places: PolicyPlaces, source: string, field: FieldPath): LinePlace | undefined {
  const place = places.get(source);
  return place && { file: place.document.file, ...place.document.position([...place.path, ...field], { key: true }) };
}

export type PolicyDocuments = Pick<PolicyCollection, 'policies' | 'facts' | 'problems' | 'warnings'>;

/** A place as compilers print it: `apps/web.yaml:12:5`, or the file alone where no line is known. */
export function linePlace({ file, line, column }: LinePlace): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

/** One line, as compilers print it: `policies/apps.yaml:12:5: spec.port: ...`. */
export function formatFileProblem({ file, line, column, message }: FileProblem): string {
  return `${linePlace({ file, line, column })}: ${message}`;
}

/** The most problems of a file that are reported. After them, the file is not read on. */
const MOST_PROBLEMS_OF_FILE = 100;
/** Messages quote names and keys of files, which may have any length. */
const LONGEST_MESSAGE = 500;

const KINDS_OF_FILES = [...FACT_KINDS, NAMESPACES];

/**
 * Collects policies, Namespaces (for their labels), the kinds of `FACT_KINDS`, and `v1` Lists of these. Any other kind
 * is a problem, so that a misspelt kind does not go unnoticed. Facts without a namespace are in `namespace`.
 */
export class PolicyCollection {
  readonly policies: ProbePolicy[] = [];
  readonly #facts = new CollectedFacts();
  readonly problems: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];
  /** Where each policy was first seen. Of two policies with one name, the winner would depend on the order of files. */
  readonly #seen = new Map<string, string>();
  readonly #problemsOf = new Map<string, number>();
  readonly #warningsOf = new Map<string, number>();
  readonly #namespace: string;
  readonly #places: PolicyPlaces | undefined;

  constructor(namespace = 'default', places?: PolicyPlaces) {
    this.#namespace = namespace;
    this.#places = places;
  }

  get facts(): Facts {
    return this.#facts.facts;
  }

  addPart({ document, problems }: YamlFilePart): void {
    for (const problem of problems) this.addProblem(problem);
    if (document !== undefined) this.addDocument(document, document.value, []);
  }

  addProblem(problem: FileProblem): void {
    const { file, message } = problem;
    const before = this.#problemsOf.get(file) ?? 0;
    if (before > MOST_PROBLEMS_OF_FILE) return;
    this.#problemsOf.set(file, before + 1);
    const told = before === MOST_PROBLEMS_OF_FILE ? MORE_PROBLEMS : cut(message, LONGEST_MESSAGE);
    this.problems.push({ ...problem, message: told });
  }

  isFull(file: string): boolean {
    return (this.#problemsOf.get(file) ?? 0) > MOST_PROBLEMS_OF_FILE;
  }

  addDocument(document: YamlDocument, value: unknown, path: readonly PathStep[]): void {
    const kind = isJsonObject(value) ? member(value, 'kind') : undefined;
    const factKind = KINDS_OF_FILES.find((known) => known.kind === kind);
    if (kind === 'List') this.#addList(document, value as JsonObject, path);
    else if (factKind !== undefined) this.#addFact(document, factKind, value as JsonObject, path);
    else if (typeof kind === 'string' && !(POLICY_KINDS as readonly string[]).includes(kind)) {
      const known = [...POLICY_KINDS, ...KINDS_OF_FILES.map((fact) => fact.kind)];
      const hint = didYouMean(kind, known) || `; a policy directory holds ${known.join(', ')}`;
      this.#report(document, [...path, 'kind'], `kind: unknown kind ${quoted(kind)}${hint}`);
    } else this.#addPolicy(document, value, path);
  }

  #addList(document: YamlDocument, list: JsonObject, path: readonly PathStep[]): void {
    const items = member(list, 'items');
    if (!Array.isArray(items)) return this.#report(document, [...path, 'items'], 'items: must be a list');
    for (const [index, item] of items.entries())
      if (!this.isFull(document.file)) this.addDocument(document, item, [...path, 'items', index]);
  }

  #addFact(document: YamlDocument, kind: FactKind, value: JsonObject, path: readonly PathStep[]): void {
    const namespace = stringMember(objectMember(value, 'metadata') ?? {}, 'namespace') ?? this.#namespace;
    const reading = kind.read(value);
    if (reading === undefined) return;
    if (reading.problems !== undefined) return this.#reportAll(document, path, reading.problems);
    const source = `${kind.kind}/${namespace}/${reading.fact.name}`;
    if (kind.mayRepeat !== true && !this.#isFirst(document, source, path)) return;
    this.#facts.add(kind, namespace, reading.fact);
    this.#places?.set(source, { document, path });
  }

  #isFirst(document: YamlDocument, source: string, path: readonly PathStep[]): boolean {
    const first = this.#seen.get(source);
    if (first === undefined) this.#seen.set(source, `${document.file}:${document.position(path).line}`);
    else this.#report(document, [...path, 'metadata', 'name'], `metadata.name: ${source} is also at ${first}`);
    return first === undefined;
  }

  #addPolicy(document: YamlDocument, value: unknown, path: readonly PathStep[]): void {
    const parsed = parseProbePolicy(CHECK_CATALOGUE, value);
    if (parsed.problems !== undefined) return this.#reportAll(document, path, parsed.problems);
    const { policy, warnings } = parsed;
    this.#warnAll(document, path, warnings);
    if (!this.#isFirst(document, policy.source, path)) return;
    this.policies.push(policy);
    this.#places?.set(policy.source, { document, path });
  }

  #warnAll(document: YamlDocument, path: readonly PathStep[], warnings: readonly Problem[]): void {
    const { file } = document;
    const before = this.#warningsOf.get(file) ?? 0;
    this.#warningsOf.set(file, before + warnings.length);
    for (const warning of warnings.slice(0, Math.max(0, MOST_PROBLEMS_OF_FILE - before))) {
      const position = document.position([...path, ...warning.path], { key: true });
      this.warnings.push({ file, ...position, message: cut(formatProblem(warning), LONGEST_MESSAGE) });
    }
  }

  #reportAll(document: YamlDocument, path: readonly PathStep[], problems: readonly Problem[]): void {
    for (const problem of problems) this.#report(document, [...path, ...problem.path], formatProblem(problem));
  }

  #report(document: YamlDocument, path: readonly PathStep[], message: string): void {
    const { file } = document;
    if (!this.isFull(file)) this.addProblem({ file, ...document.position(path, { key: true }), message });
  }
}

export class CollectedFacts {
  readonly #objects = new Map<FactKind, Map<string, Named[]>>();

  add(kind: FactKind, namespace: string, fact: Named): void {
    const byNamespace = this.addKind(kind);
    const list = byNamespace.get(namespace);
    if (list === undefined) byNamespace.set(namespace, [fact]);
    else list.push(fact);
  }

  /** Notes that all objects of a kind have been read, even if there are none. */
  addKind(kind: FactKind): Map<string, Named[]> {
    const byNamespace = this.#objects.get(kind) ?? new Map<string, Named[]>();
    this.#objects.set(kind, byNamespace);
    return byNamespace;
  }

  get facts(): Facts {
    const factsOf = (kind: FactKind): object => {
      const lists = [...(this.#objects.get(kind) ?? [])].map(([namespace, list]) => {
        return [namespace, list.toSorted((a, b) => (a.name < b.name ? -1 : 1))] as const;
      });
      return kind.facts(this.#objects.has(kind) ? new Map(lists) : undefined);
    };
    return Object.assign({ ...NO_FACTS }, ...KINDS_OF_FILES.map(factsOf)) as Facts;
  }
}
