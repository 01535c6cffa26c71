import { listMember, type JsonObject } from '../../base/json/json-value.ts';
import { ExecCommand, UNREAD_COMMAND, shellInvocationOf } from '../probe/exec-invocation.ts';
import { execArgv } from '../probe/handler-values.ts';
import { readShellScript } from '../probe/shell-script.ts';
import { CUT_MARK, isCut } from './bounded-container.ts';
import { listenFlagsOf, portsBeside, type CommandWord, type ListenFlag } from './listen-flags.ts';

/** Most characters of commands of probes, and of scripts of containers, that are read of an object (docs/limits.md). */
export const MOST_COMMAND_CHARACTERS = 65_536;

/** The command line of a container, as far as checks read it. */
export interface CommandLine {
  /** The words, with those of a script behind `sh -c` in its place. Cut words are skipped. */
  readonly words: readonly CommandWord[];
  readonly flags: readonly ListenFlag[];
  /** The port numbers of all other words. */
  readonly otherPorts: () => ReadonlySet<number>;
  /** The script that is too long to be read. */
  readonly unread: CommandWord | undefined;
}

/**
 * Reads the commands of one object. All of them share one budget, which the object's own commands use up in their
 * order, before those that policies add. Equal commands of probes are read once. The old object of an update has a
 * reader of its own, so it takes nothing from the new one.
 */
export class CommandReader {
  #left = MOST_COMMAND_CHARACTERS;
  readonly #known = new Map<string, ExecCommand>();

  /** The command of a bounded exec handler. A command without room in the budget has no words. */
  commandOf(handler: JsonObject): ExecCommand {
    const argv = execArgv(handler) ?? [];
    const key = [...argv.map((word) => word.length), ...argv].join(' ');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (!this.#hasRoomFor(argv.reduce((sum, word) => sum + word.length, 0))) return UNREAD_COMMAND;
    const command = new ExecCommand(argv, !argv.some(isCut));
    this.#known.set(key, command);
    return command;
  }

  /** The command line of a bounded container. A cut list has no words: a later flag may replace an earlier one. */
  lineOf(container: JsonObject): CommandLine {
    const written: CommandWord[] = [];
    for (const list of ['command', 'args'] as const) {
      const elements = listMember(container, list);
      if (elements.at(-1) === CUT_MARK) return lineOf([]);
      for (const [index, text] of elements.entries()) if (typeof text === 'string') written.push({ text, list, index });
    }
    const whole = written.filter(({ text }) => !isCut(text));
    // A script stands behind an option such as `-c` or `-ec`.
    const mayHaveScript = written.some(({ text }) => /^-[A-Za-z]*c/.test(text));
    const scriptAt = mayHaveScript ? shellInvocationOf(written.map(({ text }) => text))?.scriptAt : undefined;
    const script = scriptAt === undefined ? undefined : written[scriptAt];
    if (script === undefined) return lineOf(whole);
    if (isCut(script.text) || !this.#hasRoomFor(script.text.length))
      return lineOf(
        whole.filter((word) => word !== script),
        script,
      );
    const commands = readShellScript(script.text)?.commands ?? [];
    const inside = commands.flatMap(({ words }) => words.map(({ text }) => ({ ...script, text })));
    return lineOf(whole.flatMap((word) => (word === script ? inside : [word])));
  }

  #hasRoomFor(length: number): boolean {
    if (length > this.#left) return false;
    this.#left -= length;
    return true;
  }
}

function lineOf(words: readonly CommandWord[], unread?: CommandWord): CommandLine {
  const flags = listenFlagsOf(words);
  let ports: ReadonlySet<number> | undefined;
  return { words, flags, otherPorts: () => (ports ??= portsBeside(words, flags)), unread };
}
