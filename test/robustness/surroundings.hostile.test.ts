import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { ask, askHealth, keepAlive } from './client.ts';
import { report } from './figures.ts';
import { hostileReview } from './hostile-documents.ts';
import { Program } from './program.ts';
import { SEED } from './settings.ts';

/** Where a temporary directory is made, by its real name. */
const temporary = realpathSync(tmpdir());
const agent = keepAlive();
let program: Program;

beforeAll(async () => {
  // Under Node's permission model: what it does not allow fails, and no child process, worker or native module can be started.
  program = await Program.start({
    nodeArgs: ['--permission', `--allow-fs-read=${temporary}/probewright-robustness-*`],
    args: ['--log-level', 'error'],
    env: { PROBEWRIGHT_SECRET_FOR_THE_TEST: 'never-to-be-told' },
  });
});
afterAll(async () => {
  agent.destroy();
  await program.stop();
});

/** Texts that a careless program would take for something to read, run or call. */
const LURES = [
  '/etc/passwd',
  'file:///etc/passwd',
  '../../../../etc/passwd',
  '/proc/self/environ',
  'http://127.0.0.1:9/lure',
  'https://lure.invalid/',
  '$(touch /tmp/lure)',
  '`id`',
  '${PROBEWRIGHT_SECRET_FOR_THE_TEST}',
  '$PROBEWRIGHT_SECRET_FOR_THE_TEST',
  '{{ .Env.HOME }}',
  '%PROBEWRIGHT_SECRET_FOR_THE_TEST%',
  'data:text/plain,x',
  'node:fs',
];

const lured = (lure: string): string =>
  JSON.stringify(
    reviewOf(
      pod(
        [
          appContainer({
            name: lure,
            image: lure,
            env: [{ name: lure, value: lure }],
            livenessProbe: { httpGet: { path: lure, port: 'http', host: lure } },
            startupProbe: { exec: { command: [lure] } },
          }),
        ],
        {
          metadata: {
            name: lure,
            annotations: {
              'probewright.dev/readiness-endpoint': lure,
              'probewright.dev/containers': lure,
              'probewright.dev/injected': lure,
              [lure]: lure,
            },
          },
          spec: { $ref: lure, include: lure },
        },
      ),
      { name: lure, namespace: lure, userInfo: { username: lure } },
    ),
  );

describe('what a request says', () => {
  it('makes the program read no file and no variable and call nobody, though nothing but its own files is allowed to it', async () => {
    const bodies = [...LURES.map(lured), ...fc.sample(hostileReview, { numRuns: 300, seed: SEED })];
    const paths = [
      '/mutate',
      '/validate',
      ...LURES.map((lure) => `/mutate?timeout=${encodeURIComponent(lure)}&file=${encodeURIComponent(lure)}`),
    ];
    for (const path of paths) await ask(program.port, { agent, path });
    for (const path of ['/livez', '/readyz', '/metrics']) await askHealth(program.healthPort, path);
    await program.vitals();

    let answered = 0;
    let told = '';
    for (const [index, body] of bodies.entries()) {
      const { code, body: answer } = await ask(program.port, { agent, path: paths[index % paths.length] ?? '', body });
      expect(code).toBeLessThan(500);
      told += answer;
      answered += 1;
    }
    for (const lure of LURES) {
      told += (
        await ask(program.port, {
          agent,
          path: `/${lure.replaceAll(/[^!-~]/g, '')}`,
          headers: { 'x-forwarded-host': 'lure.invalid', 'x-file': '/etc/passwd' },
        })
      ).body;
      told += (await askHealth(program.healthPort, `/metrics/../../${encodeURIComponent(lure)}`)).body;
    }
    const { touched } = await program.vitals();
    // It looks after its own files all the time, asked or not.
    const foreign = touched.filter((what) => !what.startsWith('file ') || !what.includes(program.directory));
    expect(foreign).toEqual([]);
    expect(told).not.toContain('never-to-be-told');
    expect(told).not.toContain('root:');
    report(
      'Who may call',
      `${answered} hostile requests under Node's permission model, files, variables and connections noted`,
      `nothing touched but its own ${new Set(touched).size} policy and certificate paths`,
    );
  });

  it('would be noticed: the notes tell of what the program reads by itself', async () => {
    // Certificate files are read every 5 s.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    const { touched } = await program.vitals();
    expect(touched.some((what) => what.includes(join(program.directory, 'tls.crt')))).toBe(true);
  });
});
