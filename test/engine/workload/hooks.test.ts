import { expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { CommandReader } from '../../../src/engine/workload/command-reader.ts';
import { execHooksOf } from '../../../src/engine/workload/hooks.ts';
import { podWith, workloadOf } from '../checks/workload.ts';

/** The hooks of a container with this lifecycle, as `postStart at ...: words`. */
function hooksOf(lifecycle: unknown): string[] | undefined {
  const [container] = workloadOf(podWith({ lifecycle })).pod.containers;
  return (
    container &&
    execHooksOf(container, new CommandReader()).map(
      ({ kind, place, command }) => `${kind} at ${formatPath(place.path())}: ${command.argv.join(' ')}`,
    )
  );
}

const exec = (...command: readonly string[]): object => ({ exec: { command } });

it('hooks with commands are told in the order of the API, with their places', () =>
  expect(hooksOf({ preStop: exec('sleep', '5'), postStart: exec('touch', '/x') })).toEqual([
    'postStart at spec.containers[0].lifecycle.postStart: touch /x',
    'preStop at spec.containers[0].lifecycle.preStop: sleep 5',
  ]));

it.each<[string, unknown]>([
  ['without hooks', undefined],
  ['whose lifecycle is no object', 'x'],
  ['whose hooks are empty', { preStop: {}, postStart: null }],
  ['whose hooks run no command', { preStop: { httpGet: { port: 80 } }, postStart: { sleep: { seconds: 5 } } }],
  ['whose command is no object', { preStop: { exec: 'x' } }],
])('a container %s has none with a command', (_, lifecycle) => expect(hooksOf(lifecycle)).toEqual([]));

it('a command without words is a hook all the same', () =>
  expect(hooksOf({ preStop: { exec: {} } })).toEqual(['preStop at spec.containers[0].lifecycle.preStop: ']));
