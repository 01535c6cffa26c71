import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundle, PROGRAM } from '../../../scripts/bundle.ts';
import { FIX_ALL } from '../../../src/cli/lsp/actions.ts';
import { startEditor } from './editor.ts';

it('the command for editors is the only one that loads the protocol, and adds at most 200 KB to the program', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'probewright-bundle-'));
  const { outputs } = await bundle(PROGRAM, directory);
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const ofEditor = Object.entries(outputs).filter(([, { inputs }]) =>
    Object.keys(inputs).some((path) => path.includes('node_modules/vscode-')),
  );
  expect(ofEditor.map(([, { entryPoint }]) => entryPoint)).toEqual(['src/cli/lsp/lsp.ts']);
  const [file, bytes] = ofEditor.map(([name, output]) => [name, output.bytes] as const)[0] ?? ['', 0];
  expect(bytes).toBeLessThan(200_000);
  const importers = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ path }) => path === file));
  expect(importers.map(({ kind }) => kind)).toEqual(['dynamic-import']);

  // Parts of the protocol are left out of the bundle.
  const text = readFileSync('examples/typo.yaml', 'utf8');
  const editor = await startEditor({}, [], process.env, join(directory, 'probewright.js'));
  await editor.open('web.yaml', text);
  expect((await editor.shown('web.yaml')).map(({ code }) => code)).toEqual(['named-port']);
  expect((await editor.actions('web.yaml')).map(({ kind }) => kind)).toEqual(['quickfix', 'quickfix', FIX_ALL]);
  expect(await editor.hover('web.yaml', 20)).toContain('container web');
  expect(await editor.quit()).toEqual({ code: 0, errors: '' });
});
