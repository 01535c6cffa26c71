import { execFileSync } from 'node:child_process';
import { judged, reading, type Findings } from './figures.ts';
import type { Sides } from './processes.ts';

const ROUNDS = 15;
/** A command line that answers within this time feels immediate. */
const GOAL_MILLISECONDS = 180;

/** Goal 6: the start of the command line, beside Node that runs nothing. */
export function commandStart({ program }: Pick<Sides, 'program'>): Findings {
  const found = { bare: [] as number[], version: [] as number[], help: [] as number[] };
  // The first start reads the files from the disk.
  timed([program, 'version']);
  for (let round = 0; round < ROUNDS; round++) {
    found.bare.push(timed(['--eval', '0']));
    found.version.push(timed([program, 'version']));
    found.help.push(timed([program, 'check', '--help']));
  }
  return {
    title: 'Start of the command line',
    how: 'The production bundle. From the start of the process until its end, in turns with Node that runs nothing.',
    rows: [
      reading('Node alone', found.bare, ' ms'),
      judged('`probewright version`', found.version, { atMost: GOAL_MILLISECONDS }, ' ms'),
      reading('`probewright check --help`', found.help, ' ms'),
    ],
  };
}

/** Milliseconds until a process has ended. */
function timed(args: readonly string[]): number {
  const began = performance.now();
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env['PATH'] } });
  return performance.now() - began;
}
