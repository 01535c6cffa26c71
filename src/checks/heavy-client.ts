import { member } from '../json/json-value.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Programs that start a virtual machine or an interpreter for one question. Erlang: RabbitMQ. Java: Cassandra and
 * Kafka. JavaScript: mongosh. Each start takes about a second of a processor.
 */
const HEAVY_CLIENTS: ReadonlySet<string> = new Set([
  'rabbitmqctl',
  'rabbitmq-diagnostics',
  'nodetool',
  'cqlsh',
  'java',
  'mongosh',
]);

/** `kafka-topics.sh` and its relatives, and `python` with or without a version. */
const HEAVY_NAMES = /^(?:kafka-[a-z-]{1,60}\.sh|python[\d.]{0,8})$/;

/** Words before the program's name. */
const PREFIXES: ReadonlySet<string> = new Set([
  'exec',
  'env',
  'if',
  'then',
  'while',
  'until',
  'time',
  'nice',
  '!',
  '{',
]);

const SHELL = /^(?:ba|da|a|k|z)?sh$/;

/** Most characters of a command that are read. A program's name stands in front. */
const MOST_CHARACTERS = 4096;

/** Most words of a command that are read. */
const MOST_WORDS = 64;

/**
 * Returns the heavy client that an exec probe runs, by its own name: as the first word, after `env` or `timeout`, or as
 * a command in the script of a shell. Undefined for any other probe.
 */
export function heavyClientOf({ handlerKind, handler }: CheckedProbe): string | undefined {
  const argv = handlerKind === 'exec' ? member(handler, 'command') : undefined;
  if (!Array.isArray(argv)) return undefined;
  const first: unknown = argv[0];
  if (typeof first !== 'string' || first.length > MOST_CHARACTERS) return undefined;
  const name = baseName(first);
  if (isHeavy(name)) return name;
  // Most commands end here.
  if (!SHELL.test(name) && !PREFIXES.has(name) && name !== 'timeout') return undefined;
  const words: string[] = [];
  for (const word of argv.slice(0, MOST_WORDS) as unknown[]) {
    if (typeof word !== 'string') return undefined;
    words.push(word.slice(0, MOST_CHARACTERS));
  }
  const program = programOf(words);
  if (program === undefined) return undefined;
  if (isHeavy(program)) return program;
  if (!SHELL.test(program)) return undefined;
  return words.map(heavyCommandIn).find((name) => name !== undefined);
}

function heavyCommandIn(script: string): string | undefined {
  for (const command of script.split(/[;|&()\n`]/)) {
    const program = programOf(command.trim().split(/\s+/));
    if (program !== undefined && isHeavy(program)) return program;
  }
  return undefined;
}

/** Returns the name of the program that words start, without its folder. */
function programOf(words: readonly string[]): string | undefined {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const name = baseName(word);
    // `timeout 5 PROGRAM`: a number, perhaps with a unit, stands between the two.
    if (name === 'timeout' && /^\d+(?:\.\d+)?[smhd]?$/.test(words[index + 1] ?? '')) index += 1;
    else if (name !== 'timeout' && !PREFIXES.has(name) && !/^\w+=/.test(word) && !word.startsWith('-')) return name;
  }
  return undefined;
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function isHeavy(name: string): boolean {
  return HEAVY_CLIENTS.has(name) || HEAVY_NAMES.test(name);
}
