import { cut } from '../text/cut.ts';
import { isJsonObject, member, objectMember, stringMap, stringMember } from '../probes/json.ts';
import { formatProblem, quoted } from '../policy/problems.ts';
import { parseProbePolicy, POLICY_KINDS } from '../policy/probe-policy.ts';
import { didYouMean } from '../policy/suggestion.ts';
import { formatSourceProblem } from './policy-source.ts';
import { MORE_PROBLEMS } from '../policy/reader.ts';
import { yamlFileParts } from './yaml-documents.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PathStep } from '../policy/problems.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';
import type { NamespaceLabels } from '../policy/policy-set.ts';
import type { SourceProblem } from './policy-source.ts';
import type { YamlDocument, YamlFilePart, YamlProblem } from './yaml-documents.ts';

/** A text that may hold policies, and the name that problems are reported under. */
export interface PolicyText {
  readonly file: string;
  readonly text: string;
}

/** Something wrong with a policy file. Line and column count from 1. */
export type FileProblem = YamlProblem;

/** An object that has been parsed already, and where it stands. */
export interface PlacedObject {
  readonly document: YamlDocument;
  readonly value: JsonObject;
  readonly path: readonly PathStep[];
}

/** What a set of files says: policies, and the labels of the namespaces that stand among them. */
export interface PolicyDocuments {
  readonly policies: readonly ProbePolicy[];
  readonly namespaceLabels: NamespaceLabels;
  readonly problems: readonly FileProblem[];
}

/** One line, as compilers print it: `policies/apps.yaml:12:5: spec.port: ...`. */
export function formatFileProblem(problem: FileProblem): string {
  return formatSourceProblem(sourceProblem(problem));
}

/** A problem of a file as any source tells of problems. */
export function sourceProblem({ file, line, column, message }: FileProblem): SourceProblem {
  return { place: `${file}:${line}:${column}`, message };
}

/**
 * Reads every document of the texts: ProbePolicy, ClusterProbePolicy, Namespace (for its labels), and `v1` Lists of these. Anything
 * else is a problem: a policy that is not read because its kind is misspelt must not go unnoticed.
 */
export function readPolicyDocuments(
  texts: readonly PolicyText[],
  objects: readonly PlacedObject[] = [],
): PolicyDocuments {
  const collected = new PolicyCollection();
  for (const { file, text } of texts) {
    for (const part of yamlFileParts(file, text)) {
      collected.addPart(part);
      if (collected.isFull(file)) break;
    }
  }
  for (const { document, value, path } of objects) collected.addDocument(document, value, path);
  return collected;
}

/** More problems of a file are not told, and who meets so many need not read on. */
const MOST_PROBLEMS_OF_FILE = 100;
/** Messages repeat what is written in files: names and keys, however long. */
const LONGEST_MESSAGE = 500;

/** What has been read of a set of files so far. */
export class PolicyCollection implements PolicyDocuments {
  readonly policies: ProbePolicy[] = [];
  readonly namespaceLabels = new Map<string, ReadonlyMap<string, string>>();
  readonly problems: FileProblem[] = [];
  /** Where each policy was first seen: two with one name would make the winner depend on file order. */
  readonly #seen = new Map<string, string>();
  readonly #problemsByFile = new Map<string, number>();

  addPart({ document, problems }: YamlFilePart): void {
    for (const problem of problems) this.addProblem(problem);
    if (document !== undefined) this.addDocument(document, document.value, []);
  }

  addProblem(problem: FileProblem): void {
    const { file, message } = problem;
    const before = this.#problemsByFile.get(file) ?? 0;
    if (before > MOST_PROBLEMS_OF_FILE) return;
    this.#problemsByFile.set(file, before + 1);
    const told = before === MOST_PROBLEMS_OF_FILE ? MORE_PROBLEMS : cut(message, LONGEST_MESSAGE);
    this.problems.push({ ...problem, message: told });
  }

  /** True when no more problems of the file are told. */
  isFull(file: string): boolean {
    return (this.#problemsByFile.get(file) ?? 0) > MOST_PROBLEMS_OF_FILE;
  }

  addDocument(document: YamlDocument, value: unknown, path: readonly PathStep[]): void {
    const kind = isJsonObject(value) ? member(value, 'kind') : undefined;
    if (isJsonObject(value) && kind === 'List') this.#addList(document, value, path);
    else if (isJsonObject(value) && kind === 'Namespace') this.#addNamespace(document, value, path);
    else if (typeof kind === 'string' && !(POLICY_KINDS as readonly string[]).includes(kind)) {
      const known = [...POLICY_KINDS, 'Namespace'];
      const hint = didYouMean(kind, known) || `; a policy directory holds ${known.join(', ')}`;
      this.#report(document, [...path, 'kind'], `kind: unknown kind ${quoted(kind)}${hint}`);
    } else this.#addPolicy(document, value, path);
  }

  #addList(document: YamlDocument, list: JsonObject, path: readonly PathStep[]): void {
    const items = member(list, 'items');
    if (!Array.isArray(items)) this.#report(document, [...path, 'items'], 'items: must be a list');
    else
      for (const [index, item] of items.entries()) {
        if (this.isFull(document.file)) break;
        this.addDocument(document, item, [...path, 'items', index]);
      }
  }

  #addNamespace(document: YamlDocument, namespace: JsonObject, path: readonly PathStep[]): void {
    const metadata = objectMember(namespace, 'metadata');
    const name = metadata && stringMember(metadata, 'name');
    if (metadata === undefined || name === undefined)
      this.#report(document, [...path, 'metadata'], 'metadata.name: must be given');
    else this.namespaceLabels.set(name, stringMap(metadata, 'labels'));
  }

  #addPolicy(document: YamlDocument, value: unknown, path: readonly PathStep[]): void {
    const parsed = parseProbePolicy(value);
    if ('problems' in parsed) {
      for (const problem of parsed.problems) this.#report(document, [...path, ...problem.path], formatProblem(problem));
      return;
    }
    const { policy } = parsed;
    const { line } = document.position(path);
    const first = this.#seen.get(policy.source);
    if (first !== undefined)
      this.#report(document, [...path, 'metadata', 'name'], `metadata.name: ${policy.source} is also at ${first}`);
    else this.policies.push(policy);
    this.#seen.set(policy.source, first ?? `${document.file}:${line}`);
  }

  #report(document: YamlDocument, path: readonly PathStep[], message: string): void {
    if (this.isFull(document.file)) return;
    this.addProblem({ file: document.file, ...document.position(path, { key: true }), message });
  }
}
