import { readUtf8File } from '../../base/files/regular-file.ts';
import { readObject } from '../../engine/policy/read-field.ts';
import { formatProblem, Reader, type Problem } from '../../engine/policy/reader.ts';
import { KNOWN_KINDS, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
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
    kinds.push(...entries.map(readKind).filter((kind) => kind !== undefined));
    for (const problem of found)
      fileProblems.push({ file, ...document.position(problem.path, { key: true }), message: formatProblem(problem) });
  }
  if (fileProblems.length > 0) return { problems: fileProblems };
  const merged = mergePaths(kinds);
  return {
    kinds: [...merged, ...KNOWN_KINDS.filter(({ group, kind }) => workloadKind(group, kind, merged) === undefined)],
  };
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

function readKind(reader: Reader): WorkloadKind | undefined {
  const { group, kind, podTemplatePath: path, runsToCompletion = false } = (readObject(ENTRY, reader) ?? {}) as Entry;
  if (group === undefined || kind === undefined || path === undefined) return undefined;
  return { group, kind, templatePaths: [path.split('.')], runsToCompletion };
}

function pathProblem(path: string): string | undefined {
  if (POD_TEMPLATE_PATH.test(path)) return undefined;
  return 'must be field names with dots between them, such as spec.template; * is every element of a list';
}
