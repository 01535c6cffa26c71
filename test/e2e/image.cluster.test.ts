import { execFile } from 'node:child_process';
import { access, chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeServingPair } from '../support/certificate.ts';
import { appContainer, pod } from '../support/worlds.ts';
import { get } from './http-requests.ts';
import { freePorts, startProcess, untilServing, type StartedProcess } from './processes.ts';
import { mutated } from './direct-review.ts';
import { all, readDockerfile, words, type Stage } from './dockerfile.ts';
import { report } from './scenario-figure.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/**
 * No Docker engine is needed: the stages' own commands run in a clean tree, and the image's files are run as the image would run them, in a
 * root of their own where this process may change roots, else beside everything else.
 */
const root = join(import.meta.dirname, '../..');
const mayChangeRoot = process.getuid?.() === 0;
const node = join(root, 'node_modules/node/bin/node');
/** A command of the Dockerfile that takes longer hangs. On a slow machine, all of them once took more than 180 s. */
const LONGEST_MILLISECONDS = 240_000;

let image: { readonly path: string; readonly remove: () => Promise<void> };
let build: { readonly path: string; readonly remove: () => Promise<void> };
let caPem: string;
let chroot: string;
let stages: { readonly build: Stage; readonly runtime: Stage; readonly image: Stage };

beforeAll(async () => {
  const [first, second, third] = await readDockerfile(root);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three stages are expected');
  stages = { build: first, runtime: second, image: third };
  build = await temporaryDirectory('image-build');
  image = await temporaryDirectory('image-root');
  await mkdir(join(image.path, 'app'));
  await copyContext(stages.build, build.path);
  for (const command of all(stages.build, 'RUN')) await shell(command, build.path, { COMMIT: 'abcdef123456' });
  for (const command of all(stages.runtime, 'RUN')) await shell(command.replaceAll('/rootfs', image.path), build.path);
  const [, bundle, licence] = all(stages.image, 'COPY');
  expect([bundle, licence]).toEqual(['--from=build /build/dist /app/', 'LICENSE /app/']);
  await cp(join(build.path, 'dist'), join(image.path, 'app'), { recursive: true });
  await cp(join(root, 'LICENSE'), join(image.path, 'app/LICENSE'));
  await mountConfiguration();
  chroot = (await promisify(execFile)('sh', ['-c', 'command -v chroot'])).stdout.trim();
  for (const directory of [image.path, join(image.path, 'app')]) await chmod(directory, 0o555);
}, 2 * LONGEST_MILLISECONDS);

/** What a Pod would mount: policies and a serving pair. */
async function mountConfiguration(): Promise<void> {
  const pair = await makeServingPair({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  caPem = pair.caPem;
  const etc = join(image.path, 'etc/probewright');
  await mkdir(etc, { recursive: true });
  await cp(join(root, 'examples/policies'), join(etc, 'policies'), { recursive: true });
  await writeFile(join(etc, 'tls.crt'), pair.certPem);
  await writeFile(join(etc, 'tls.key'), pair.keyPem, { mode: 0o644 });
}

afterAll(async () => {
  for (const directory of [image.path, join(image.path, 'app')]) await chmod(directory, 0o755);
  await build.remove();
  await image.remove();
});

/** Copies what the stage's COPY lines say, as far as .dockerignore lets it through. */
async function copyContext(stage: Stage, target: string): Promise<void> {
  const ignore = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n').filter(Boolean);
  expect(ignore[0]).toBe('*');
  const allowed = ignore.slice(1).map((line) => line.slice(1));
  for (const line of all(stage, 'COPY')) {
    for (const source of line.split(' ').slice(0, -1)) {
      expect(allowed).toContain(source);
      await cp(join(root, source), join(target, source), { recursive: true });
    }
  }
}

/** npm asks the network for nothing that the `npm ci` of this checkout left in its cache: a slow registry is not what is tested. */
const FROM_CACHE = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

/** Runs a RUN line with the Node that the image is based on, and nothing of this checkout. */
async function shell(command: string, cwd: string, env: Record<string, string> = {}): Promise<void> {
  const path = `${dirname(node)}:${process.env['PATH'] ?? ''}`;
  await promisify(execFile)('sh', ['-c', command], {
    cwd,
    env: { ...process.env, ...FROM_CACHE, ...env, PATH: path, NODE_ENV: '' },
    maxBuffer: 64 * 1024 * 1024,
    timeout: LONGEST_MILLISECONDS,
  });
}

/** The command line that runs a program of the image as the image does: unprivileged, with its environment only. */
function imageCommand(args: readonly string[]): { readonly command: string; readonly args: readonly string[] } {
  const [, program = ''] = words(stages.image, 'ENTRYPOINT');
  const [user = ''] = all(stages.image, 'USER');
  const env = all(stages.image, 'ENV');
  const run = mayChangeRoot
    ? [chroot, `--userspec=${user}`, image.path, node, program]
    : [node, join(image.path, program)];
  return { command: '/usr/bin/env', args: ['-i', ...env, ...run, ...args] };
}

async function filesBelow(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) found.push(join(entry.parentPath, entry.name).slice(directory.length));
  return found;
}

describe('the image', () => {
  it('holds Node, the libraries that it is linked with, the bundle and the licence, and nothing else', async () => {
    const files = await filesBelow(image.path);
    const others = files.filter((file) => !/^\/((usr\/)?lib(64)?|etc\/probewright)\//.test(file) && file !== node);
    expect(others.every((file) => /^\/app\/([\w-]+\.m?js(\.LEGAL\.txt)?|package\.json|LICENSE)$/.test(file))).toBe(
      true,
    );
    expect(others).toContain('/app/probewright.js');
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(image.path, file))).size));
    const mebibytes = (of: number): string => (of / 1024 / 1024).toFixed(1);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    report('image', `${files.length} files, ${mebibytes(total)} MiB, ${mebibytes(await bundleSize())} of them ours`);
  });

  it('says what it is', async () => {
    const { command, args } = imageCommand(['version']);
    const { stdout } = await promisify(execFile)(command, [...args], { env: {} });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(stdout).toContain(version);
    expect(await readFile(join(image.path, 'app', await chunkWith('abcdef123456')), 'utf8')).toContain('abcdef123456');
  });

  it('serves as an unprivileged user with an empty environment, in a directory that it cannot write to', async () => {
    const [port, healthPort] = await freePorts(2);
    const etc = mayChangeRoot ? '/etc/probewright' : join(image.path, 'etc/probewright');
    const flags = `--policies ${etc}/policies --tls-cert ${etc}/tls.crt --tls-key ${etc}/tls.key --host 127.0.0.1`;
    const serve = `serve ${flags} --port ${port} --health-port ${healthPort} --drain-seconds 0`.split(' ');
    const { command, args } = imageCommand(serve);
    const started: StartedProcess = startProcess('image', command, args, { env: {}, cwd: join(image.path, 'app') });
    try {
      await untilServing(
        [started],
        async () => (await get(`http://127.0.0.1:${healthPort}/readyz`)).status === 200,
        30_000,
      );
      const target = { url: `https://127.0.0.1:${port}`, serverName: 'localhost', caPem };
      const { spec } = await mutated(target, pod([appContainer()]));
      expect(spec.containers[0]).toMatchObject({ livenessProbe: {}, readinessProbe: {}, startupProbe: {} });
    } finally {
      expect(await started.stop()).toBe(0);
    }
    if (!mayChangeRoot) report('image', 'not run in a root of its own, as that takes root');
  });

  it('is started by nobody in particular: a number that is not root, and no shell', async () => {
    const [user = ''] = all(stages.image, 'USER');
    expect(Number(user.split(':')[0])).toBeGreaterThan(999);
    await expect(access(join(image.path, 'bin/sh'))).rejects.toThrow(/ENOENT/);
    expect(stages.image.base).toBe('scratch');
  });

  it('is based on the Node that the project is built and tested with', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      devDependencies: { node: string };
    };
    const wanted = /\d+/.exec(devDependencies.node)?.[0] ?? '';
    for (const { base } of [stages.build, stages.runtime]) expect(base).toMatch(new RegExp(`^node:${wanted}-`));
  });
});

async function bundleSize(): Promise<number> {
  const files = await filesBelow(join(image.path, 'app'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(image.path, 'app', file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function chunkWith(text: string): Promise<string> {
  for (const file of await readdir(join(image.path, 'app')))
    if ((await readFile(join(image.path, 'app', file), 'utf8')).includes(text)) return file;
  throw new Error(`no file of the bundle holds ${text}`);
}
