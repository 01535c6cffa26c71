import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { without } from '../../src/base/json/json-value.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);

it('npm run probewright reads the directory where a person calls npm, not the clone', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'apps'));
  await writeFile(join(directory, 'apps/web.yaml'), 'apiVersion: v1\nkind: ConfigMap\n');
  const args = ['--prefix', resolve(), 'run', '--silent', 'probewright', '--', 'check', '.'];
  const { stdout } = await run('npm', args, { cwd: directory, env: without(process.env, 'INIT_CWD') });
  expect(stdout).toBe('0 workloads in 1 object: 0 errors, 0 warnings\n');
});
