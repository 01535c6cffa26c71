import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { count } from '../src/base/text/cut.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { endOf, ENDS } from './support/no-result.ts';
import type { Ran } from './cli/run-probewright.ts';

const main = join(import.meta.dirname, '../src/main.ts');

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  await writeFile(join(directory, 'good.yaml'), 'kind: ConfigMap\n');
  await writeFile(join(directory, 'latin.yaml'), Buffer.from('kind: ConfigMap # f\u00fcr\n', 'latin1'));
});

/** Runs the real program in a shell, in the directory; `redirections` are the shell's. */
function run(args: string, redirections = ''): Promise<Ran> {
  const script = `"$1" "$2" ${args} ${redirections}`;
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, main], { cwd: directory });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}

const summary = (objects: number, problems = ''): string =>
  `0 workloads in ${count(objects, 'object')}: 0 errors, 0 warnings${problems}\n`;

describe('standard input', () => {
  it('is read, its byte order mark included', async () => {
    await writeFile(join(directory, 'marked.yaml'), '\uFEFFkind: ConfigMap\n');
    await mkdir(join(directory, 'none'));
    expect((await run('fix - --policies none', '< marked.yaml')).stdout).toBe('\uFEFFkind: ConfigMap\n');
    expect(await run('check -', '< good.yaml')).toEqual({ code: 0, stdout: summary(1), stderr: '' });
  });

  it('that is a directory cannot be read', async () => {
    expect(await run('check -', '< .')).toEqual({
      code: 2,
      stdout: summary(0, '; 1 input problem'),
      stderr: '<stdin>:1:1: cannot be read: EISDIR: it is a directory\n',
    });
  });

  it('that is not UTF-8 cannot be read, and other files can', async () => {
    expect(await run('check - good.yaml', '< latin.yaml')).toEqual({
      code: 2,
      stdout: summary(1, '; 1 input problem'),
      stderr: '<stdin>:1:1: cannot be read: it is not UTF-8: byte 0xfc in line 1\n',
    });
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  it('behind standard output is told of, and is no verdict', async () => {
    expect(await run('check good.yaml', '> /dev/full')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'probewright: standard output cannot be written: ENOSPC: no space left on device, write\n',
    });
  });

  it('behind standard error shows in the exit code, and standard output is whole', async () => {
    expect(await run('check latin.yaml good.yaml', '2> /dev/full')).toEqual({
      code: 2,
      stdout: summary(1, '; 1 input problem'),
      stderr: '',
    });
    expect(await run('check good.yaml', '2> /dev/full')).toEqual({ code: 0, stdout: summary(1), stderr: '' });
  });
});

describe('a reader that is gone', () => {
  /** The exit code when nobody reads a stream any more by the time that standard input ends. */
  async function codeWithout(stream: 'stdout' | 'stderr', stdin: string | Buffer): Promise<unknown> {
    const child = spawn(process.execPath, [main, 'check', '-']);
    const gone = once(child[stream], 'close');
    child[stream].destroy();
    await gone;
    child.stdin.end(stdin);
    const [code] = (await once(child, 'exit')) as unknown[];
    return code;
  }

  it('from standard output is no error', async () => {
    expect(await codeWithout('stdout', 'kind: ConfigMap\n')).toBe(0);
  });

  it('from standard error shows in the exit code', async () => {
    expect(await codeWithout('stderr', Buffer.of(0xff))).toBe(2);
  });
});

describe('a command that has told no result', () => {
  it.each(ENDS)('$how ends with the code 2, and says so', ({ before, says }) => {
    const { code, stdout, stderr } = endOf(join(import.meta.dirname, '../src/probewright.js'), before);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});
