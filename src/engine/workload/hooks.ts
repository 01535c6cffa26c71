import { objectMember } from '../../base/json/json-value.ts';
import { boundedMembersOf } from './bounded-container.ts';
import type { FieldPlace } from '../../base/json/field-path.ts';
import type { ExecCommand } from '../command/words.ts';
import type { CommandReader } from './command-reader.ts';
import type { Container } from './pod.ts';

/** A lifecycle hook that runs a command. */
export interface ExecHook {
  readonly kind: 'postStart' | 'preStop';
  /** Place of the hook in the object. The command is at `exec.command` below. */
  readonly place: FieldPlace;
  readonly command: ExecCommand;
}

/** The hooks of a container that run commands, in the API's order. */
export function execHooksOf({ spec, place }: Container, commands: CommandReader): readonly ExecHook[] {
  const lifecycle = objectMember(spec, 'lifecycle') ?? {};
  return (['postStart', 'preStop'] as const).flatMap((kind) => {
    const exec = objectMember(objectMember(lifecycle, kind) ?? {}, 'exec');
    if (exec === undefined) return [];
    return { kind, place: place.at('lifecycle').at(kind), command: commands.commandOf(boundedMembersOf(exec)) };
  });
}
