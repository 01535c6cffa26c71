import { CURL } from './clients.ts';
import { optionsOf } from './words.ts';

/**
 * Why the status of a program tells nothing about the application:
 * - `filter`: it reads the output of another program, and its status hides the status of that one;
 * - `fallback`: the command of last resort never fails: `|| true`;
 * - `constant`: it never fails;
 * - `branch`: each way through `if`, `case` or a loop succeeds;
 * - `answer`: curl succeeds when the server answers with an error;
 * - `ping`: the client of Redis answers an error and succeeds;
 * - `output`: the answer is in the output alone: `find` succeeds when nothing matches;
 * - `itself`: `ps | grep NAME` finds its own process, because the name is among its words.
 */
export interface AlwaysTrue {
  readonly reason: 'filter' | 'fallback' | 'constant' | 'branch' | 'answer' | 'ping' | 'output' | 'itself';
  readonly program: string;
}

/** Why a program never fails with these words. `isFed`: it reads the output of another program. */
export type Status = (operands: readonly string[], isFed: boolean) => AlwaysTrue['reason'] | undefined;

/**
 * A filter that some words let fail, or that reads a file in place of the pipe.
 * @param letters the options that take a value
 * @param texts how many words are no files: the program of `awk`, unless one of the options `told` gives it
 */
export const filter =
  (letters = '', texts = 0, fails = /^$/, told = /^$/): Status =>
  (words, isFed) => {
    const options = optionsOf(words, letters);
    const files = options.filter(({ name, value }) => name === undefined && value !== '-').length;
    const isTold = options.some(({ name = '-' }) => told.test(name));
    return isFed && files <= (isTold ? 0 : texts) && !words.some((word) => fails.test(word)) ? 'filter' : undefined;
  };

/** Succeeds with these words: options alone, or none. */
export const constantIf =
  (pattern: RegExp): Status =>
  (words) =>
    words.every((word) => pattern.test(word)) ? 'constant' : undefined;

/** The answer is in the output alone, with words of this form. */
export const inOutput = (succeedsWhen: string, has = /^/): { succeedsWhen: string; status: Status } => ({
  succeedsWhen,
  status: (words) => (has.test(words.join(' ')) ? 'output' : undefined),
});

/**
 * True for curl without -f, --fail or --fail-with-body: curl then succeeds for each answer of an HTTP server, also for
 * 500 (curl's manual page). A variable beside the URL may hold the option. Options in a file are unknown.
 */
export function ignoresAnswer(operands: readonly string[]): boolean {
  const options = optionsOf(operands, CURL.letters);
  const urls = options.filter(({ name }) => name === undefined || name === '--url').map(({ value }) => value);
  if (urls.length === 0 || (urls.length > 1 && urls.some((url) => url.startsWith('$')))) return false;
  if (urls.some((url) => /^(?!https?:)[a-z]+:\/\//i.test(url))) return false;
  return !options.some(({ name = '' }) => /^(?:-[fKVh]|--(?:fail|fail-with-body|config|version|help))$/.test(name));
}
