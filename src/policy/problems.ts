import { beginning, cut } from '../text/cut.ts';
import { jsonText } from '../text/json-text.ts';

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
    else text += `[${jsonText(step)}]`;
  }
  return text;
}

/** One line: `spec.port: 70000 is not a port number`. */
export function formatProblem(problem: Problem): string {
  return problem.path.length === 0 ? problem.message : `${formatPath(problem.path)}: ${problem.message}`;
}

/** The most that is quoted of a value. */
const MOST_QUOTED = 60;

/** A value as a message quotes it: JSON, cut short when it is long. No more of the value is looked at than is quoted. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length > MOST_QUOTED) return cut(text, MOST_QUOTED);
  }
  return text;
}

/** The JSON of a value, bit by bit. Every level of it begins with a piece, so whoever stops goes no deeper than pieces were taken. */
function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (let index = 0; index < value.length; index++) {
      if (index > 0) yield ',';
      yield* jsonPieces(value[index]);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    yield '{';
    let isFirst = true;
    for (const [name, member] of Object.entries(value)) {
      yield `${isFirst ? '' : ','}${jsonStart(name)}:`;
      yield* jsonPieces(member);
      isFirst = false;
    }
    yield '}';
  } else yield typeof value === 'string' ? jsonStart(value) : JSON.stringify(value);
}

/** All of a text that is quoted, and no more than the beginning of one that is cut. */
function jsonStart(text: string): string {
  return jsonText(beginning(text, MOST_QUOTED));
}
