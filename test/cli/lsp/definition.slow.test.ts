import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle, PROGRAM } from '../../../scripts/bundle.ts';

it('the command for editors is the only one that loads the protocol, and adds at most 200 KB to the program', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'probewright-bundle-'));
  const { outputs } = await bundle(PROGRAM, directory);
  rmSync(directory, { recursive: true });
  const ofEditor = Object.entries(outputs).filter(([, { inputs }]) =>
    Object.keys(inputs).some((path) => path.includes('node_modules/vscode-')),
  );
  expect(ofEditor.map(([, { entryPoint }]) => entryPoint)).toEqual(['src/cli/lsp/lsp.ts']);
  const [file, bytes] = ofEditor.map(([name, output]) => [name, output.bytes] as const)[0] ?? ['', 0];
  expect(bytes).toBeLessThan(200_000);
  const importers = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ path }) => path === file));
  expect(importers.map(({ kind }) => kind)).toEqual(['dynamic-import']);
});
