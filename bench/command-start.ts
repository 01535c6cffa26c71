import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { judged, reading, type Findings } from './figures.ts';
import type { Sides } from './processes.ts';

const ROUNDS = 15;
/** A command line that answers within this time feels immediate. */
const GOAL_MILLISECONDS = 180;

/** For one file, with the process around it: five times an empty Node. */
const GOAL_MILLION_INSTRUCTIONS = 500;
const KUBECTL_ROUNDS = 5;
const COMMANDS = ['check', 'fix', 'explain'];

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
    how: 'The production bundle. From the start of the process until its end, in turns with Node that runs nothing. Instructions: by cachegrind, of one file, with what the start before has compiled.',
    rows: [
      reading('Node alone', found.bare, ' ms'),
      judged('`probewright version`', found.version, { atMost: GOAL_MILLISECONDS }, ' ms'),
      reading('`probewright check --help`', found.help, ' ms'),
      ...startInInstructions(program),
    ],
  };
}

/** Milliseconds until a process has ended. */
function timed(args: readonly string[]): number {
  const began = performance.now();
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env['PATH'] } });
  return performance.now() - began;
}

/** The instructions of a command with one file. No rows on a machine without valgrind. */
function startInInstructions(program: string): Findings['rows'] {
  const bare = millionInstructions(process.execPath, ['--eval', '0']);
  if (bare === undefined) return [];
  const ofCommands = COMMANDS.map((name) => {
    const args = [program, name, 'examples/typo.yaml'];
    // Fills the cache of compiled code.
    spawnSync(process.execPath, args);
    const counted = millionInstructions(process.execPath, args) ?? NaN;
    return judged(`\`${name}\` of one file`, [counted], { atMost: GOAL_MILLION_INSTRUCTIONS }, ' million instructions');
  });
  const assets = process.env['KUBEBUILDER_ASSETS'];
  // Threads of Go share the work in another way each time.
  const ofKubectl = (path: string): Findings['rows'] => {
    const counted = () => millionInstructions(join(path, 'kubectl'), ['version', '--client']) ?? NaN;
    const rounds = Array.from({ length: KUBECTL_ROUNDS }, counted);
    return [reading('`kubectl version --client`', rounds, ' million instructions')];
  };
  return [
    reading('Node alone, instructions', [bare], ' million instructions'),
    ...(assets === undefined ? [] : ofKubectl(assets)),
    ...ofCommands,
  ];
}

/** Undefined without valgrind. */
function millionInstructions(program: string, args: readonly string[]): number | undefined {
  const counting = ['--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null'];
  const { error, stderr } = spawnSync('valgrind', [...counting, program, ...args], { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  const [, count] = /I\s+refs:\s+([\d,]+)/.exec(stderr) ?? [];
  return count === undefined ? undefined : Number(count.replaceAll(',', '')) / 1e6;
}
