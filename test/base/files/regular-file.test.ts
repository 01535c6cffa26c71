import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateFiles, clientCaFile } from '../../../src/webhook/certificates/certificate-files.ts';
import { developmentPair } from '../../../src/webhook/certificates/open-certificates.ts';
import { readRegularFile, readUpTo, refuseSpecialFile } from '../../../src/base/files/regular-file.ts';
import { loadClusterAccess } from '../../../src/cluster/client/cluster-access.ts';
import { DirectorySource } from '../../../src/cluster/sources/directory-source.ts';
import { loadWorkloadKinds } from '../../../src/cluster/sources/workload-kinds.ts';
import { specialFiles, type SpecialFile } from '../../support/special-files.ts';

let directory: string;
let special: SpecialFile[];
let close: () => void;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-special-'));
  ({ files: special, close } = await specialFiles(directory));
  await writeFile(join(directory, 'file'), 'text');
  await symlink('file', join(directory, 'link'));
});

afterAll(async () => {
  close();
  await rm(directory, { recursive: true });
});

const listener = { changed: () => undefined, failed: () => undefined };

/** Everything that reads a file which must be a regular one. */
const READERS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a file': readRegularFile,
  'a file of limited size': (path) => readUpTo(path, 10),
  'a file for a library': refuseSpecialFile,
  'a certificate': (path) => certificateFiles(path, join(directory, 'file')).start(listener),
  'a key': (path) => certificateFiles(join(directory, 'file'), path).start(listener),
  'the CAs of callers': (path) => clientCaFile(path).start(listener),
  'a kubeconfig': loadClusterAccess,
  'the workload kinds': loadWorkloadKinds,
};

describe.each(Object.entries(READERS))('%s', (_, read) =>
  it('is refused at once when it is no regular file, by path and kind', async () => {
    for (const { path, kind } of special)
      await expect(read(path)).rejects.toThrow(`${path} is ${kind} and must be a regular file`);
  }),
);

describe('a regular file', () => {
  it('is read through a link', async () => {
    expect(String(await readRegularFile(join(directory, 'link')))).toBe('text');
  });

  it('is read up to a limit', async () => {
    const path = join(directory, 'file');
    expect(String(await readUpTo(path, 4))).toBe('text');
    expect(await readUpTo(path, 3)).toBeUndefined();
  });

  it('that is not there is left to the library that wants it', async () => {
    await expect(refuseSpecialFile(join(directory, 'gone'))).resolves.toBeUndefined();
    await expect(readRegularFile(join(directory, 'gone'))).rejects.toThrow('ENOENT');
  });
});

describe('a kubeconfig', () =>
  it.each(['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'])(
    'whose %s is a FIFO is refused at once',
    async (field) => {
      const fifo = special[0]?.path ?? '';
      const cluster = { server: 'https://127.0.0.1:1', ...(field === 'certificate-authority' && { [field]: fifo }) };
      const config = {
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: field === 'certificate-authority' ? { token: 'x' } : { [field]: fifo } }],
      };
      const path = join(directory, 'kubeconfig.txt');
      await writeFile(path, JSON.stringify(config));
      await expect(loadClusterAccess(path)).rejects.toThrow(
        `${fifo} is a FIFO (named pipe) and must be a regular file`,
      );
    },
  ));

it('a directory of policies with a FIFO or a socket among them is refused at once, by path and kind', async () => {
  await expect(new DirectorySource(directory, () => 0).start(listener)).rejects.toThrow(
    'fifo.yaml is a FIFO (named pipe)',
  );
});

it('a development pair is not written through links, nor read from a FIFO', async () => {
  const certs = join(directory, 'certs');
  await developmentPair(certs, Date.now());
  const target = join(directory, 'target');
  await writeFile(target, 'mine');
  await rm(join(certs, 'tls.crt'));
  await rm(join(certs, 'tls.key'));
  execFileSync('mkfifo', [join(certs, 'tls.crt')]);
  for (const name of ['tls.key', 'tls.key.new', 'ca.crt.new']) await symlink(target, join(certs, name));
  const { keyFile, certFile } = await developmentPair(certs, Date.now());
  expect(await readFile(target, 'utf8')).toBe('mine');
  expect(await readFile(keyFile, 'utf8')).toContain('PRIVATE KEY');
  expect(await readFile(certFile, 'utf8')).toContain('CERTIFICATE');
});
