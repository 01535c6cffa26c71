/** A step into a document: a key or an index. */
export type PathStep = string | number;

/** Something wrong with a document: where, and what to write instead. `path` is [] for the document itself. */
export interface Problem {
  readonly path: readonly PathStep[];
  readonly message: string;
}

/** A path as people write it: `spec.containers[0]`, and `metadata.annotations["a/b"]` where a key is not a plain word. */
export function formatPath(path: readonly PathStep[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** One line: `spec.port: 70000 is not a port number`. */
export function formatProblem(problem: Problem): string {
  return problem.path.length === 0 ? problem.message : `${formatPath(problem.path)}: ${problem.message}`;
}

/** A value as a message quotes it: JSON, cut short when it is long. */
export function quoted(value: unknown): string {
  const text = jsonOf(value);
  if (text === undefined) return 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Nested deeper than our stack: an object of the API may be, a file may not.
    if (error instanceof RangeError) return Array.isArray(value) ? '[...]' : '{...}';
    throw error;
  }
}
