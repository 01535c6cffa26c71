import { shellWord } from '../../base/text/shell-word.ts';
import { PROGRAM } from '../io.ts';

const URL_START = /^([a-z][a-z0-9+.-]*):\/\//i;
/** The page that GitHub and GitLab show of a file. Its text is beside it. */
const FILE_PAGE = /^(https:\/\/(?:github|gitlab)\.com\/.+?)\/blob\//;

/**
 * What to type for the first input that is a URL: no command downloads anything. Undefined without such an input.
 *
 * @param args all arguments of the command
 */
export function urlProblem(command: string, inputs: readonly string[], args: readonly string[]): string | undefined {
  const url = inputs.find((input) => URL_START.test(input));
  if (url === undefined) return undefined;
  const file = url.replace(FILE_PAGE, '$1/raw/');
  const [reader, own] = [readerOf(url), args.map((arg) => (arg === url ? '-' : shellWord(arg))).join(' ')];
  const piped = `${reader} ${shellWord(file)} | ${PROGRAM} ${command} ${own}`;
  const step = reader === undefined ? 'download it, and name the file' : piped;
  return `${url} is a URL, and ${PROGRAM} downloads nothing: ${step}`;
}

/** The program that prints what the URL has as manifests. Charts are packed. */
function readerOf(url: string): string | undefined {
  const scheme = URL_START.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'oci') return 'helm template';
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  return /\.tgz(?:[?#]|$)/.test(url) ? 'helm template' : 'curl -fsSL';
}
