import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { onApiServer } from './api-server.ts';
import { checkManifests } from './check.ts';
import { checkLargeInputs } from './large-input.ts';
import { againstEarlier } from './earlier.ts';
import { commandStart } from './command-start.ts';
import { cores, onLoadCore } from './cores.ts';
import { costBySize } from './cost-by-size.ts';
import { editor } from './editor.ts';
import { footprint } from './footprint.ts';
import { observerAtScale } from './observer.ts';
import { reportPage } from './page.ts';
import { paced } from './paced.ts';
import { prepareSides } from './processes.ts';
import { quiet } from './quiet.ts';
import { markdown } from './tables.ts';
import { pageWithSummary, withParts } from './summary.ts';
import { soak } from './soak.ts';
import { throughput } from './throughput.ts';
import type { Findings } from './figures.ts';

/**
 * `npm run bench`: measures against goals, and ends with 1 when one is missed.
 * `npm run bench -- --write` writes README.md and the summary in docs/trust.md; `--only throughput,check` measures some of it, and
 * with `--write` renews these parts alone;
 * `--requests 50000` makes the look at memory growth shorter; `--earlier ../other` compares this build with the build of an
 * earlier checkout, and measures nothing else unless `--only` asks for it.
 */
const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    requests: { type: 'string', default: '500000' },
    earlier: { type: 'string' },
  },
});

const { earlier } = values;
if (values.write && earlier !== undefined)
  throw new Error('--write keeps no comparison with an earlier build: leave --earlier out');
const sides = await prepareSides();
const goals: Readonly<Record<string, () => Findings | Promise<Findings>>> = {
  quiet: () => onLoadCore(() => quiet(sides)),
  throughput: () => onLoadCore(() => throughput(sides)),
  paced: () => onLoadCore(() => paced(sides)),
  soak: () => onLoadCore(() => soak(sides)),
  size: costBySize,
  footprint: () => onLoadCore(() => footprint(sides, Number(values.requests))),
  'api-server': () => onApiServer(sides),
  check: checkManifests,
  large: () => checkLargeInputs(sides),
  observer: observerAtScale,
  page: reportPage,
  start: () => commandStart(sides),
  editor: () => editor(sides),
  ...(earlier === undefined ? {} : { earlier: () => onLoadCore(() => againstEarlier(sides, resolve(earlier))) }),
};
const wanted = values.only?.split(',') ?? (earlier === undefined ? Object.keys(goals) : ['earlier']);
const unknown = wanted.filter((name) => !(name in goals));
if (unknown.length > 0) throw new Error(`--only knows ${Object.keys(goals).join(', ')}, not ${unknown.join(', ')}`);

const loadBefore = loadavg()[0] ?? NaN;
const findings: Findings[] = [];
try {
  for (const name of wanted) {
    const found = await goals[name]?.();
    if (found === undefined) continue;
    findings.push(found);
    console.log(markdown(found));
  }
} finally {
  await sides.remove();
}
console.log(surroundings());
const missed = findings.flatMap(({ rows }) => rows.filter(({ met }) => met === false));
for (const { what, figure, goal } of missed) console.log(`MISSED: ${what} is ${figure}, to be ${goal}`);
if (missed.length > 0) process.exitCode = 1;

if (values.write) {
  const page = join(import.meta.dirname, 'README.md');
  const measuredOn = `Measured on ${new Date().toISOString().slice(0, 10)}. ${surroundings()}`;
  await writeFile(page, withParts(readFileSync(page, 'utf8'), findings, measuredOn));
  const summary = join(import.meta.dirname, '../docs/trust.md');
  await writeFile(summary, pageWithSummary(readFileSync(summary, 'utf8'), findings));
}

function surroundings(): string {
  const [cpu] = cpus();
  const pinned =
    cores === undefined
      ? 'nothing pinned'
      : 'each server alone on one core with the heap options of the chart, the load and the rest on another';
  return `Node ${process.version}, ${cpus().length} × ${cpu?.model.trim()}, ${pinned}. Load average before: ${loadBefore.toFixed(1)}; on a machine that is not busy it is near 0.`;
}
