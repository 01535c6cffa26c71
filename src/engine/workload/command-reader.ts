import { objectsAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../probe/api-defaults.ts';
import { ExecCommand, UNREAD_COMMAND } from '../probe/exec-invocation.ts';
import { execArgv } from '../probe/handler-values.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { boundedMember, isCut } from './bounded-container.ts';
import { commandWords, listenFlagsOf, portsBeside, type CommandWord, type ListenFlag } from './listen-flags.ts';

/** Most characters of commands of probes, and of scripts of containers, that are read of an object (docs/limits.md). */
export const MOST_COMMAND_CHARACTERS = 65_536;

/** The command line of a container, as far as checks read it. */
export interface CommandLine {
  readonly words: readonly CommandWord[];
  readonly flags: readonly ListenFlag[];
  /** The port numbers of all other words. */
  readonly otherPorts: () => ReadonlySet<number>;
  /** The script that is too long to be read. */
  readonly unread: CommandWord | undefined;
}

/**
 * Reads the commands of one object, each once, whatever number of checks, floors and policies ask. All of them share
 * one budget, which the object's own commands use up in their order, before those that policies add. Equal commands
 * count once. The old object of an update has a reader of its own, so it takes nothing from the new one.
 */
export class CommandReader {
  #left = MOST_COMMAND_CHARACTERS;
  /** By the lists of the object: they stay the same while probes are added around them. */
  readonly #commands = new Map<unknown, ExecCommand>();
  readonly #lines = new Map<unknown, Map<unknown, CommandLine>>();
  readonly #equal = new Map<string, ExecCommand>();

  #unread: readonly JsonObject[];

  /** @param templates all Pod templates of the object, as they are written */
  constructor(templates: readonly JsonObject[]) {
    this.#unread = templates;
  }

  /** Reads all commands of the object, in their order, before the first answer. */
  #readAll(): void {
    const templates = this.#unread;
    this.#unread = [];
    for (const template of templates)
      for (const container of CONTAINER_LISTS.flatMap((list) => objectsAt(template, 'spec', list))) {
        this.lineOf(container);
        for (const exec of PROBE_KINDS.map((kind) => valueAt(container, [kind, 'exec'])))
          if (isJsonObject(exec)) this.commandOf(exec);
      }
  }

  /** The command of an exec handler. A command without room in the budget has no words. */
  commandOf(handler: JsonObject): ExecCommand {
    this.#readAll();
    const list = member(handler, 'command');
    const known = this.#commands.get(list) ?? this.#read(execArgv(boundedMember(handler, 'command')) ?? []);
    this.#commands.set(list, known);
    return known;
  }

  #read(argv: readonly string[]): ExecCommand {
    const length = argv.reduce((sum, word) => sum + word.length, 0);
    if (length > MOST_COMMAND_CHARACTERS) return UNREAD_COMMAND;
    const key = [...argv.map((word) => word.length), ...argv].join(' ');
    const equal = this.#equal.get(key);
    if (equal !== undefined) return equal;
    if (!this.#hasRoomFor(length)) return UNREAD_COMMAND;
    const command = new ExecCommand(argv, !argv.some(isCut));
    this.#equal.set(key, command);
    return command;
  }

  /** The command line of a container. */
  lineOf(container: JsonObject): CommandLine {
    this.#readAll();
    const [command, args] = [member(container, 'command'), member(container, 'args')];
    const ofCommand = this.#lines.get(command) ?? new Map<unknown, CommandLine>();
    this.#lines.set(command, ofCommand);
    const known = ofCommand.get(args) ?? this.#readLine(container);
    ofCommand.set(args, known);
    return known;
  }

  #readLine(container: JsonObject): CommandLine {
    const bounded = boundedMember(boundedMember(container, 'command'), 'args');
    const { words, unread } = commandWords(bounded, ({ text }) => !isCut(text) && this.#hasRoomFor(text.length));
    const flags = listenFlagsOf(words);
    let ports: ReadonlySet<number> | undefined;
    return { words, flags, unread, otherPorts: () => (ports ??= portsBeside(words, flags)) };
  }

  #hasRoomFor(length: number): boolean {
    if (length > this.#left) return false;
    this.#left -= length;
    return true;
  }
}
