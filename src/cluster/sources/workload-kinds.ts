import { equalJson } from '../../base/json/json-value.ts';
import { quote } from '../../base/text/cut.ts';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { readObject } from '../../engine/policy/read-field.ts';
import { formatProblem, Reader, type Problem } from '../../engine/policy/reader.ts';
import { BUILT_IN_KINDS, KNOWN_KINDS, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { PolicyFilesError, type FileProblem } from './policy-source.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import type { ObjectField } from '../../engine/policy/field.ts';

/** Field names with dots between them. `*` is every element of a list. */
export const POD_TEMPLATE_PATH = /^[A-Za-z]\w*(\.(\w+|\*))*$/;

export type WorkloadKindsParse =
  | { readonly kinds: readonly WorkloadKind[]; readonly problems?: undefined }
  | { readonly problems: readonly FileProblem[] };

/** Reads a YAML list of `{ group, kind, podTemplatePath }`. Known kinds follow, unless an entry replaces them. */
export function readWorkloadKinds(file: string, text: string): WorkloadKindsParse {
  const { documents, problems } = parseYamlDocuments(file, text);
  const fileProblems: FileProblem[] = [...problems];
  const kinds: WorkloadKind[] = [];
  for (const document of documents) {
    const found: Problem[] = [];
    const entries = new Reader(document.value, [], found).list() ?? [];
    for (const entry of entries) kinds.push(...readKind(entry, kinds));
    for (const problem of found)
      fileProblems.push({ file, ...document.position(problem.path, { key: true }), message: formatProblem(problem) });
  }
  if (fileProblems.length > 0) return { problems: fileProblems };
  const merged = mergePaths(kinds);
  return {
    kinds: [...merged, ...KNOWN_KINDS.filter(({ group, kind }) => workloadKind(group, kind, merged) === undefined)],
  };
}

/** Why an entry cannot stand beside the entries before it, and the built-in kinds. */
function repetitionProblem(entry: WorkloadKind, others: readonly WorkloadKind[]): string | undefined {
  const { group, kind, templatePaths, runsToCompletion } = entry;
  const name = quote(group === '' ? kind : `${kind}.${group}`);
  if (workloadKind(group, kind, BUILT_IN_KINDS) !== undefined) return `${name} is built in; remove the entry`;
  const same = others.filter((other) => other.group === group && other.kind === kind);
  if (same.some((other) => equalJson(other.templatePaths, templatePaths)))
    return `${name} is listed twice; remove an entry, or write another podTemplatePath`;
  if (same.some((other) => other.runsToCompletion !== runsToCompletion))
    return `${name} is listed with two values of runsToCompletion; write the same value in each entry`;
  return undefined;
}

/** Several entries for one kind are several places for Pod templates in it. */
function mergePaths(kinds: readonly WorkloadKind[]): WorkloadKind[] {
  const merged = new Map<string, WorkloadKind>();
  for (const kind of kinds) {
    const key = `${kind.group}/${kind.kind}`;
    const templatePaths = [...(merged.get(key)?.templatePaths ?? []), ...kind.templatePaths];
    merged.set(key, { ...kind, templatePaths });
  }
  return [...merged.values()];
}

/** Reads the file; the known kinds without a file. Throws PolicyFilesError with every problem. */
export async function loadWorkloadKinds(file: string | undefined): Promise<readonly WorkloadKind[]> {
  if (file === undefined) return KNOWN_KINDS;
  const text = await readUtf8File(file).catch((error: unknown) => {
    throw new PolicyFilesError(`the workload kinds cannot be read: ${String(error)}`);
  });
  const parsed = readWorkloadKinds(file, text);
  if (parsed.problems !== undefined)
    throw new PolicyFilesError(`${parsed.problems.length} problem(s) in the workload kinds`, parsed.problems);
  return parsed.kinds;
}

/** An entry of the file. Messages name the fields. */
const ENTRY: ObjectField = {
  type: 'object',
  text: '',
  fields: {
    group: { type: 'text', text: '', required: true },
    kind: { type: 'text', text: '', required: true },
    podTemplatePath: { type: 'text', text: '', required: true, problem: pathProblem },
    runsToCompletion: { type: 'boolean', text: '' },
  },
};

interface Entry {
  readonly group?: string;
  readonly kind?: string;
  readonly podTemplatePath?: string;
  readonly runsToCompletion?: boolean;
}

/** The kind of an entry; none where a field is missing. */
function readKind(reader: Reader, others: readonly WorkloadKind[]): WorkloadKind[] {
  const { group, kind, podTemplatePath: path, runsToCompletion = false } = (readObject(ENTRY, reader) ?? {}) as Entry;
  if (group === undefined || kind === undefined || path === undefined) return [];
  const read = { group, kind, templatePaths: [path.split('.')], runsToCompletion };
  const repetition = repetitionProblem(read, others);
  if (repetition !== undefined) reader.report(repetition, 'kind');
  return [read];
}

function pathProblem(path: string): string | undefined {
  if (POD_TEMPLATE_PATH.test(path)) return undefined;
  return 'must be field names with dots between them, such as spec.template; * is every element of a list';
}
