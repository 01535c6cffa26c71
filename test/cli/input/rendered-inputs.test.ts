import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProbewright } from '../run-probewright.ts';
import { withTools } from '../tools-on-path.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

// The other commands are in test/fixtures/commands/rendered-by-tools.yaml; a page is too long for it.
it('report builds a kustomization with a remote base with --allow-remote-bases', async () => {
  const directory = await temporaryDirectory();
  const args = join(directory, 'args.txt');
  await writeFile(join(directory, 'kustomization.yaml'), 'resources: [github.com/team/app//base?ref=v1]\n');
  const restorePath = await withTools(await temporaryDirectory(), { kubectl: `echo "$*" > '${args}'\n` });
  await runProbewright(['report', directory, '--allow-remote-bases']);
  restorePath();
  expect(await readFile(args, 'utf8')).toMatch(new RegExp(`^kustomize \\S+${directory}\n$`));
});
