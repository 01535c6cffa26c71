import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile } from '../../../src/base/files/replace-file.ts';
import { certificateFiles, clientCaFile } from '../../../src/webhook/certificates/certificate-files.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { CertificateSource } from '../../../src/webhook/certificates/serving-tls.ts';

const [first, second] = await Promise.all([makeServingPair(), makeServingPair()]);

interface Followed<T> {
  readonly source: CertificateSource<T>;
  readonly values: T[];
  readonly failures: string[];
}

async function follow<T>(source: CertificateSource<T>): Promise<Followed<T>> {
  const [values, failures]: [T[], string[]] = [[], []];
  onTestFinished(() => source.stop());
  await source.start({ changed: (value) => values.push(value), failed: (problem) => failures.push(problem) });
  return { source, values, failures };
}

describe('a pair in files', () => {
  async function files(): Promise<{ cert: string; key: string }> {
    const directory = await temporaryDirectory();
    const [cert, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    await Promise.all([writeFile(cert, first.certPem), writeFile(key, first.keyPem)]);
    return { cert, key };
  }

  it('is there at the start, and is read again when it changes', async () => {
    const { cert, key } = await files();
    const { source, values, failures } = await follow(certificateFiles(cert, key, 1));
    expect(values).toMatchObject([{ cert: first.certPem, key: first.keyPem }]);
    await Promise.all([replaceFile(cert, second.certPem), replaceFile(key, second.keyPem)]);
    await expect.poll(() => values.at(-1)?.cert).toBe(second.certPem);
    await expect.poll(() => source.problem()).toBeUndefined();
    expect(values).toHaveLength(2);
    // Between the two writes the files may not belong together.
    expect(failures.length).toBeLessThanOrEqual(1);
  });

  it('that cannot be used changes nothing, and is reported once with its files', async () => {
    const { cert, key } = await files();
    const { source, values, failures } = await follow(certificateFiles(cert, key, 1));
    // A file that is written in place is empty for a moment.
    await replaceFile(cert, second.certPem);
    const problem = `${cert} and ${key}: the certificate and the key do not belong together`;
    await expect.poll(() => failures).toEqual([problem]);
    expect(source.problem()).toBe(problem);
    await rm(key);
    await expect.poll(() => failures.length).toBe(2);
    expect(failures[1]).toContain('ENOENT');
    await Promise.all([replaceFile(cert, first.certPem), replaceFile(key, first.keyPem)]);
    await expect.poll(() => source.problem()).toBeUndefined();
    // Between the two writes the files may not belong together.
    expect(failures.length).toBeLessThanOrEqual(3);
    expect(values).toHaveLength(1);
  });

  it('that cannot be used fails the start', async () => {
    const { cert, key } = await files();
    await expect(follow(certificateFiles(cert, cert))).rejects.toThrow(`${cert} and ${cert}: the key is not`);
    await expect(follow(certificateFiles(`${cert}.none`, key))).rejects.toThrow('ENOENT');
  });

  it('is not followed after a stop', async () => {
    const { cert, key } = await files();
    const { source, values, failures } = await follow(certificateFiles(cert, key, 1));
    source.stop();
    await writeFile(cert, 'broken');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([values.length, failures, source.problem()]).toEqual([1, [], undefined]);
  });
});

describe('the CAs of callers in a file', () => {
  async function read(text: string): Promise<string | undefined> {
    const file = join(await temporaryDirectory(), 'ca.crt');
    await writeFile(file, text);
    return (await follow(clientCaFile(file))).values[0];
  }

  it('are all its certificates, without what stands between them', async () =>
    expect(await read(`comment\n${first.caPem}between\n${second.caPem}`)).toBe(`${first.caPem}${second.caPem}`));

  it.each([
    ['no certificate', 'text', 'no PEM-encoded X.509 certificates to verify callers with'],
    ['a certificate that is no CA', `${first.caPem}${first.certPem}`, '"CN=localhost" is not the certificate of a CA'],
  ])(
    'are refused with %s',
    async (_, text, problem) => await expect(read(text)).rejects.toThrow(new RegExp(`ca\\.crt: ${problem}$`)),
  );
});
