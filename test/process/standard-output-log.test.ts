import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** What a process that does this with its log leaves on standard output. */
async function output(script: string): Promise<string> {
  const program = `import { serverLog } from './src/running/standard-output-log.ts'; const log = serverLog(); ${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    maxBuffer: 1e8,
  });
  return stdout;
}

describe('the log of a server', () => {
  it('has its lines in order, whenever they were written', async () => {
    const script = `for (let i = 0; i < 3; i++) { log.write('now ' + i + '\\n'); setTimeout(() => log.write('later ' + i + '\\n'), 10 * i); }`;
    expect(await output(script)).toBe('now 0\nnow 1\nnow 2\nlater 0\nlater 1\nlater 2\n');
  });

  it('has the last lines of a process that ends at once', async () => {
    expect(await output(`log.write('last words\\n'); process.exit(0);`)).toBe('last words\n');
  });

  it('has the last lines of a process that fails', async () => {
    const script = `process.on('uncaughtException', () => { log.write('it failed\\n'); process.exit(0); }); setImmediate(() => { log.write('before\\n'); throw new Error(); });`;
    expect(await output(script)).toBe('before\nit failed\n');
  });

  it('has a line that is longer than all that it keeps, between its neighbours', async () => {
    const script = `log.write('before\\n'); log.write('é€😀'.repeat(20000) + '\\n'); log.write('after\\n');`;
    expect(await output(script)).toBe(`before\n${'é€😀'.repeat(20_000)}\nafter\n`);
  });

  it('does not wait for the end of a turn that writes more than it keeps', async () => {
    const script = `for (let i = 0; i < 1000; i++) log.write('x'.repeat(99) + '\\n'); process.kill(process.pid, 'SIGKILL');`;
    const { stdout } = (await output(script).catch((error: unknown) => error)) as { stdout: string };
    expect(stdout.length).toBeGreaterThan(60_000);
    expect(stdout.endsWith('x\n')).toBe(true);
  });
});
