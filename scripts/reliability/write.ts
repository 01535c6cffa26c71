/**
 * Runs `npm run test:robustness` and writes what it printed into bench/ROBUSTNESS.md, as tables: `npm run bench:robustness`. Fails when a test
 * fails, and leaves the page as it was.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { reliabilityTables } from './reliability-tables.ts';
import type { Figure } from '../../test/robustness/figures.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'bench/ROBUSTNESS.md');
const START = '<!-- tables: npm run bench:robustness -->\n';
const END = '<!-- end of tables -->\n';

const directory = mkdtempSync(join(tmpdir(), 'probewright-reliability-'));
try {
  const file = join(directory, 'figures');
  const env = { ...process.env, ROBUSTNESS_FIGURES: file };
  const run = spawnSync('npm', ['run', 'test:robustness'], { cwd: root, env, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
  const figures = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure);
  const [before = '', rest = ''] = readFileSync(page, 'utf8').split(START);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error(`${page} has no place for the tables: ${START}${END}`);
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, shared with other work`;
  writeFileSync(page, `${before}${START}\n${reliabilityTables(figures, machine)}\n${END}${after}`);
} finally {
  rmSync(directory, { recursive: true });
}
