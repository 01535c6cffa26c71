import { isListedProgram } from '../command/programs.ts';
import { isShell, isStarter, wordSet } from '../command/words.ts';
import { isLoopbackHost } from '../probe/handler-values.ts';
import { isPortWord } from './words.ts';

/** Parts of Loki, Mimir, Tempo and Cortex, by `-target`, whose /ready asks for nothing outside of the process. */
export const SELF_CONTAINED_PARTS = wordSet('distributor querier');

/** Words of shells, folders and files, and of the names and values of settings. */
const WORDS = wordSet(`
  if then elif else fi for in do done while until case esac pipefail errexit hup int quit term usr1 usr2
  usr bin sbin etc opt var run tmp dev null
  pem crt cer key p12 pfx jks conf cfg yaml json sock sh svc
  true false yes no on off enable enabled disable disabled
  addr address advertise bind cert certs certificate client file host listen pki port default proxy protocol secure ssl target url urls
`);

/**
 * True for a word that anybody may know: a program, a product, a protocol, or a word of a shell, a path or a setting.
 * It says what a container runs, and not whose container it is.
 */
export function isPublicWord(word: string): boolean {
  const plain = word.toLowerCase();
  return (
    WORDS.has(plain) ||
    SELF_CONTAINED_PARTS.has(plain) ||
    isPortWord(plain) ||
    isLoopbackHost(plain) ||
    isListedProgram(word) ||
    isShell(word) ||
    isStarter(word)
  );
}
