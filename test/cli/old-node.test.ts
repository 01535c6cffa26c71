import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { oldNode } from '../support/old-node.ts';

const { command, version } = oldNode();
const [program, ...first] = command;

it('an old Node prints one sentence about the Node that a checkout needs, and how to get it', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Readonly<Record<string, string>> };
  for (const script of Object.values(bin)) {
    const { status, stdout, stderr } = spawnSync(program, [...first, script, 'version'], { encoding: 'utf8' });
    expect({ script, status, stdout, stderr }).toEqual({
      script,
      status: 2,
      stdout: '',
      stderr:
        `probewright: needs Node.js 24 or later, not ${version}; ` +
        'run "npm ci", which installs it, and then "npm run --silent probewright --"\n',
    });
  }
});

it('npm scripts start the entry point that tells about an old Node', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Readonly<Record<string, string>> };
  expect(Object.entries(scripts).filter(([, line]) => line.includes('src/main.ts'))).toEqual([]);
});
