import { describe, expect, it } from 'vitest';
import {
  execCommandOf,
  ExecCommand,
  firstProgramAt,
  invocationOf,
  isShell,
  NO_COMMAND,
  optionsOf,
  programName,
  programsOf,
  shellInvocationOf,
  UNREAD_COMMAND,
  wordSet,
} from '../../../src/engine/command/words.ts';

const words = (line: string): string[] => line.split(' ');
/** The programs that a line starts, one behind the other: `0 timeout, 2 curl`. */
const started = (line: string): string | undefined =>
  programsOf(words(line))
    ?.map(({ at, program }) => `${at} ${program}`)
    .join(', ');

describe('the programs of a command', () => {
  it.each([
    ['curl localhost', '0 curl'],
    ['/usr/bin/curl', '0 curl'],
    ['timeout 5 curl', '0 timeout, 2 curl'],
    ['timeout -k 1 --signal KILL 5 curl', '0 timeout, 6 curl'],
    ['timeout -- 5 curl', '0 timeout, 3 curl'],
    ['timeout -t 5 curl', '0 timeout, 3 curl'],
    ['nice -n 5 -x curl', '0 nice, 4 curl'],
    ['env A=1 -u B -i B=2 curl', '0 env, 6 curl'],
    ['env -- curl', '0 env, 2 curl'],
    ['nice A=1 curl', '0 nice, 1 A=1'],
    ['gosu web tini -- curl', '0 gosu, 2 tini, 4 curl'],
    ['sudo -u web nohup busybox sh', '0 sudo, 3 nohup, 4 busybox, 5 sh'],
    ['env env env env curl', '0 env, 1 env, 2 env, 3 env, 4 curl'],
    ['env env env env env curl', undefined],
    ['timeout 5', undefined],
    ['env A=1', undefined],
  ])('%s: %s', (line, expected) => expect(started(line)).toBe(expected));

  it('begin with the first word that names one', () => {
    expect([firstProgramAt(['', 'curl']), firstProgramAt([]), firstProgramAt([''])]).toEqual([1, 0, 1]);
    expect(invocationOf(['', 'timeout', '1', 'curl'])).toEqual({ at: 3, program: 'curl' });
    expect(invocationOf([])).toBeUndefined();
  });

  it('have no folders, also those of Windows', () =>
    expect(['/bin/sh', 'C:\\bin/x\\sh.exe', 'sh', '/'].map(programName)).toEqual(['sh', 'sh.exe', 'sh', '']));
});

describe('the options of a command', () => {
  const read = (line: string): string[] =>
    optionsOf(words(line), 'oX').map(({ name = 'word', value }) => `${name}:${value}`);

  it.each([
    ['-s url', ['-s:', 'word:url']],
    ['-so file url', ['-s:o', '-o:file', 'word:url']],
    ['-sofile url', ['-s:ofile', '-o:file', 'word:url']],
    ['-o', ['-o:']],
    ['-XPOST -X PUT', ['-X:POST', '-X:PUT']],
    ['--request POST', ['--request:POST', 'word:POST']],
    ['--request=A=B', ['--request:A=B']],
    ['--fail', ['--fail:']],
    ['- a', ['word:-', 'word:a']],
  ])('of %s are %j', (line, options) => expect(read(line)).toEqual(options));

  it('have the next word alone where a long option is known to take a value', () =>
    expect(optionsOf(words('--data x url --other y'), '', /^--data$/)).toEqual([
      { name: '--data', value: 'x' },
      { name: undefined, value: 'url' },
      { name: '--other', value: 'y' },
      { name: undefined, value: 'y' },
    ]));
});

describe('a command that starts a shell', () => {
  const shell = (line: string): unknown => {
    const { scriptAt, fileAt, isErrexit, isPipefail } = shellInvocationOf(words(line)) ?? {};
    return { scriptAt, fileAt, ...(isErrexit && { isErrexit }), ...(isPipefail && { isPipefail }) };
  };

  it.each([
    ['sh -c script', { scriptAt: 2 }],
    ['/bin/bash -ec script name', { scriptAt: 2, isErrexit: true }],
    ['sh -c -e script', { scriptAt: 3, isErrexit: true }],
    ['bash -euo pipefail -c script', { scriptAt: 4, isErrexit: true, isPipefail: true }],
    ['bash -o errexit +e -c script', { scriptAt: 5, isErrexit: true }],
    ['bash -e +e -c script', { scriptAt: 4 }],
    ['bash -o pipefail +o pipefail -c script', { scriptAt: 6 }],
    ['bash --rcfile x --login -c script', { scriptAt: 5 }],
    ['bash --init-file x -c script', { scriptAt: 4 }],
    ['sh -c -- script', { scriptAt: 3 }],
    ['sh -c - script', { scriptAt: 3 }],
    ['sh -c', {}],
    ['sh probe.sh arg', { fileAt: 1 }],
    ['sh -e -- probe.sh', { fileAt: 3, isErrexit: true }],
    ['sh -s arg', {}],
    ['timeout 5 sh -c script', { scriptAt: 4 }],
  ])('%s: %j', (line, expected) => {
    expect(shell(line)).toEqual({ scriptAt: undefined, fileAt: undefined, ...expected });
  });

  it('is none with another program', () => {
    expect(shellInvocationOf(words('curl -c script'))).toBeUndefined();
    expect(shellInvocationOf([])).toBeUndefined();
    expect(['sh', 'bash', 'zsh', 'fish', 'ash.sh'].map(isShell)).toEqual([true, true, true, false, false]);
  });
});

describe('the command of a handler', () => {
  it('has its words, its program, its shell and its script', () => {
    const command = execCommandOf({ command: ['timeout', '1', 'sh', '-c', 'curl localhost'] });
    expect([command.isWhole, command.invocation?.program, command.shell?.scriptAt, command.script]).toEqual([
      true,
      'sh',
      4,
      'curl localhost',
    ]);
    expect(command.tree?.items).toHaveLength(1);
    expect(new ExecCommand(['curl']).tree).toBeUndefined();
  });

  it('has no words where the API server accepts none', () => {
    for (const handler of [{}, { command: 'sh' }, { command: [1] }]) expect(execCommandOf(handler).argv).toEqual([]);
    expect([NO_COMMAND.isWhole, UNREAD_COMMAND.isWhole, UNREAD_COMMAND.argv]).toEqual([true, false, []]);
  });

  it('is asked once for each answer', () => {
    const command = new ExecCommand(['sh']);
    let count = 0;
    const answer = (): number => (count += 1);
    expect([command.once(answer), command.once(answer), command.once(() => 'other')]).toEqual([1, 1, 'other']);
  });
});

it('a set of words has each word of a text', () => expect([...wordSet('  a  b\nc a ')]).toEqual(['a', 'b', 'c']));
