import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messageOf } from '../../../src/base/text/error-message.ts';
import { isStandardInput, streamOf } from '../../../src/cli/input/standard-input.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const stdin = (): Promise<string> => Promise.resolve('from stdin');

it.each([
  ['-', '<stdin>'],
  ['/dev/stdin', '/dev/stdin'],
  ['/dev/fd/0', '/dev/fd/0'],
])('the name %s means standard input, which messages call %s', (name, path) => {
  expect(isStandardInput(name)).toBe(true);
  expect(streamOf(name, stdin)).toEqual({ kind: 'stream', path, read: stdin });
});

it.each(['/dev/fd/12', '/proc/self/fd/3', '/proc/self/fd/0'])('the name %s means a pipe of a shell', (name) => {
  expect(isStandardInput(name)).toBe(true);
  expect(streamOf(name, stdin)).toMatchObject({ kind: 'stream', path: name });
});

it.each(['', 'stdin', '--', 'a-', '/dev/stdin/a', 'a/dev/stdin', '/dev/fd/x', '/dev/fd/', 'a/dev/fd/3', '/dev/fd/3a'])(
  'the name %j means a file',
  (name) => {
    expect(isStandardInput(name)).toBe(false);
    expect(streamOf(name, stdin)).toBeUndefined();
  },
);

/** Opens what is named, without a reader of a pipe (open(2), O_PATH). */
const O_PATH = 0o10000000;

describe.runIf(process.platform === 'linux')('what a shell passes', () => {
  const read = async (path: string): Promise<unknown> => {
    const descriptor = openSync(path, O_PATH);
    onTestFinished(() => closeSync(descriptor));
    const text = streamOf(`/dev/fd/${descriptor}`, stdin)?.read?.();
    return await text?.catch((error: unknown) => messageOf(error).replace(String(descriptor), 'N'));
  };

  it.each([
    ['kind: Pod', 'kind: Pod'],
    [String.raw`a\n\377`, 'it is not UTF-8: byte 0xff in line 2'],
  ])('is read to its end where it is a pipe, and must be UTF-8: %s', async (written, text) => {
    const pipe = join(await temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    // The writer waits for a reader, and the reader for a writer.
    spawn('sh', ['-c', 'printf "$1" > "$2"', 'sh', written, pipe], { stdio: 'ignore' });
    expect(await read(pipe)).toBe(text);
  });

  it('is read where it is a file, and refused where it is neither', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a.yaml'), 'kind: Job');
    expect(await read(join(directory, 'a.yaml'))).toBe('kind: Job');
    expect(await read(directory)).toBe('/dev/fd/N is a directory and must be a regular file');
  });
});
