import { readFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { USUAL_PATHS } from '../../../src/cli/try/look-http.ts';
import { reach } from '../../../src/cli/try/connection.ts';
import { runProbewright } from '../run-probewright.ts';
import { closedPort } from './probe-servers.ts';

const page = await readFile('docs/try.md', 'utf8');
const block = (language: string, index = 0): string =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))][index]?.[1] ?? '';

describe('docs/try.md', () => {
  it('shows what try prints for a process on loopback', async () => {
    const port = await closedPort();
    const server = spawn(process.execPath, ['examples/try/server.js'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    onTestFinished(() => void server.kill());
    const place = { host: '127.0.0.1', port };
    for (let tries = 0; tries < 100 && (await reach(place, 1000)) !== 'accepts'; tries += 1) await sleep(50);
    const [, ...args] = /probewright -- (.*)/.exec(block('sh by-hand'))?.[1]?.split(' ') ?? [];
    const { stdout, code } = await runProbewright(['try', ...args, '--port', `8080=${port}`]);
    expect(code).toBe(1);
    expect(stdout.replace(/(median|longest) [\d.]+ ms/g, '$1 1 ms')).toBe(block('text'));
  });

  it('shows a workflow with inputs of the action, and arguments that try has', async () => {
    const { jobs } = parse(block('yaml')) as {
      readonly jobs: { readonly probes: { readonly steps: readonly { readonly with?: Record<string, string> }[] } };
    };
    const inputs = jobs.probes.steps.find((step) => step.with?.['mode'] === 'try')?.with ?? {};
    const action = parse(await readFile('action.yml', 'utf8')) as { readonly inputs: object };
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const { code, stderr } = await runProbewright([
      'try',
      'nowhere.yaml',
      ...(inputs['arguments'] ?? '').trim().split('\n'),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('nowhere.yaml');
  });

  it('lists all paths', () => {
    for (const path of USUAL_PATHS) expect(page).toContain(`\`${path}\``);
  });
});
