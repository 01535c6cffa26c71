import { describe, expect, it } from 'vitest';
import { isOfAnother, ownAddresses, type ContainerSetting } from '../../../src/engine/command/settings.ts';
import { containerWith } from '../port/container-with.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const settingsOf = (members: JsonObject): readonly ContainerSetting[] => containerWith(members).settings();
const told = (members: JsonObject): readonly string[] =>
  settingsOf(members).map(
    ({ from, name, value = '?', isInner }) => `${from} ${name}=${value}${isInner ? ' inside' : ''}`,
  );

describe('the settings of a container', () => {
  it('are flags with one word or two, other words, and variables', () => {
    expect(
      told({
        command: ['app', 'FOO=bar'],
        args: ['--a=1', '-b', '2', '--c', '--d', 'x', 'y'],
        env: [
          { name: 'E', value: '5' },
          { name: 'F', valueFrom: {} },
        ],
      }),
    ).toEqual([
      'word =app',
      'word FOO=bar',
      'flag a=1',
      'flag b=2',
      'flag c=',
      'flag d=x',
      'word =y',
      'variable E=5',
      'variable F=?',
    ]);
  });

  it('are in the script of a shell, and marked where no known shell reads the word', () => {
    expect(told({ command: ['sh', '-c', 'exec app --a 1'] })).toEqual([
      'word =sh',
      'flag c=exec',
      'word =app',
      'flag a=1',
    ]);
    expect(told({ args: ['exec app --a 1'] })).toEqual([
      'word =exec app --a 1',
      'word =exec inside',
      'word =app inside',
      'flag a=1 inside',
    ]);
  });

  it('name the place of the value', () => {
    const [one, two] = settingsOf({ args: ['--a=1', '--b', '2'] });
    expect([one?.word, two?.word]).toEqual([
      { list: 'args', index: 0 },
      { list: 'args', index: 2 },
    ]);
  });

  it('name a port of the container by an address of its own', () => {
    const port = (text: string): number | undefined => ownAddresses(containerWith({ args: [text] }))[0]?.port;
    expect(['--port=80', '--bind=0.0.0.0:81', '--url=http://[::]:82', '--addr=:83'].map(port)).toEqual([
      80, 81, 82, 83,
    ]);
    expect(['--url=http://db:80', '--count=80', 'port=80', '--port=x'].map(port)).toEqual(Array(4).fill(undefined));
  });

  it('are of another program by their words', () => {
    expect(['REDIS_TLS', 'upstream-port', 'db.port', 'APP_KAFKA_URL'].filter((name) => !isOfAnother(name))).toEqual([]);
    expect(['PORT', 'SERVER_TLS', 'dbx'].filter(isOfAnother)).toEqual([]);
  });
});
