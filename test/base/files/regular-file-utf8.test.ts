import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readUtf8File } from '../../../src/base/files/regular-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('a file that is not UTF-8 is refused, with the line', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'a.yaml');
  const read = async (bytes: string | Buffer): Promise<unknown> => {
    await writeFile(path, bytes);
    return readUtf8File(path);
  };
  expect(await read('\uFEFF# \uFFFD\n')).toBe('\uFEFF# \uFFFD\n');
  await expect(read(Buffer.from('# \uFFFD\nx: \xe9\n', 'latin1'))).rejects.toThrow(
    'it is not UTF-8: byte 0xfd in line 1',
  );
  await expect(read(Buffer.concat([Buffer.from('# \uFFFD\r\n\nx: '), Buffer.of(0xc3)]))).rejects.toThrow(
    'it is not UTF-8: byte 0xc3 in line 3',
  );
  await expect(read(Buffer.from('\uFEFFa: 1\n', 'utf16le'))).rejects.toThrow('it is UTF-16, and must be UTF-8');
  await expect(read(Buffer.of(0xff))).rejects.toThrow('byte 0xff in line 1');
});
