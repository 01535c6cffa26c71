import { listMember, type JsonObject } from '../../base/json/json-value.ts';
import { ExecCommand, UNREAD_COMMAND, shellInvocationOf } from '../command/words.ts';
import { execArgv } from '../probe/handler-values.ts';
import { readShellScript } from '../command/tokens.ts';
import { CUT_MARK, isCut } from './bounded-container.ts';

/**
 * Most characters of commands of probes, and of scripts of containers, that are read of an object (docs/limits.md). In
 * 40 public charts, no object needs more than a fifth.
 */
export const MOST_COMMAND_CHARACTERS = 16_384;
/** An operator counts as so many characters more: each command of a script is judged, in a new process slowly. */
const OPERATOR_CHARACTERS = 8;
const OPERATOR = /[;&|(`\n]/g;

/** A word of a command, and where it is written. */
export interface CommandWord {
  readonly text: string;
  readonly list: 'command' | 'args';
  readonly index: number;
}

/** The command line of a container, as far as checks read it. */
export interface CommandLine {
  /** The words, with those of a script behind `sh -c` in its place. Cut words are skipped. */
  readonly words: readonly CommandWord[];
  /** The script behind `sh -c`. Undefined without one, and for one that was not read. */
  readonly script: string | undefined;
  /** The script that is too long to be read. */
  readonly unread: CommandWord | undefined;
}

/**
 * Reads the commands of one object. All of them share one budget, which the object's own commands use up in their
 * order, before those that policies add. Equal commands and scripts are read once. The old object of an update has a
 * reader of its own, so it takes nothing from the new one.
 */
export class CommandReader {
  #left = MOST_COMMAND_CHARACTERS;
  readonly #known = new Map<string, ExecCommand>();
  readonly #scripts = new Map<string, readonly string[]>();

  /** The command of a bounded exec handler. A command without room in the budget has no words. */
  commandOf(handler: JsonObject): ExecCommand {
    const argv = execArgv(handler) ?? [];
    const key = [...argv.map((word) => word.length), ...argv].join(' ');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (!this.#hasRoomFor(argv)) return UNREAD_COMMAND;
    const command = new ExecCommand(argv, !argv.some(isCut));
    this.#known.set(key, command);
    return command;
  }

  /** The command line of a bounded container. A cut list has no words: a later flag may replace an earlier one. */
  lineOf(container: JsonObject): CommandLine {
    const written: CommandWord[] = [];
    for (const list of ['command', 'args'] as const) {
      const elements = listMember(container, list);
      if (elements.at(-1) === CUT_MARK) return { words: [], script: undefined, unread: undefined };
      for (const [index, text] of elements.entries()) if (typeof text === 'string') written.push({ text, list, index });
    }
    const whole = written.filter(({ text }) => !isCut(text));
    // A script stands behind an option such as `-c` or `-ec`.
    const mayHaveScript = written.some(({ text }) => /^-[A-Za-z]*c/.test(text));
    const scriptAt = mayHaveScript ? shellInvocationOf(written.map(({ text }) => text))?.scriptAt : undefined;
    const script = scriptAt === undefined ? undefined : written[scriptAt];
    if (script === undefined) return { words: whole, script: undefined, unread: undefined };
    const read = isCut(script.text) ? undefined : this.#wordsOf(script.text);
    const inside = (read ?? []).map((text) => ({ ...script, text }));
    const words = whole.flatMap((word) => (word === script ? inside : [word]));
    const isRead = read !== undefined;
    return { words, script: isRead ? script.text : undefined, unread: isRead ? undefined : script };
  }

  /** The words of a script of a container. Undefined for one without room. */
  #wordsOf(script: string): readonly string[] | undefined {
    const known = this.#scripts.get(script);
    if (known !== undefined || !this.#hasRoomFor([script])) return known;
    const commands = readShellScript(script) ?? [];
    const words = commands.flatMap((command) => command.words.map(({ text }) => text));
    this.#scripts.set(script, words);
    return words;
  }

  #hasRoomFor(words: readonly string[]): boolean {
    const length = words.reduce((sum, word) => sum + word.length, 0);
    if (length > this.#left) return false;
    // To count the operators takes time, too.
    this.#left -= length;
    const operators = OPERATOR_CHARACTERS * (words.join(' ').match(OPERATOR)?.length ?? 0);
    if (operators > this.#left) return false;
    this.#left -= operators;
    return true;
  }
}
