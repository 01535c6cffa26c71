import { messageOf } from '../../base/text/error-message.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import { readCommandInputs } from '../input/read-inputs.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { screenOf } from '../output/screen.ts';
import { addressTarget } from './address-target.ts';
import { dockerTarget } from './docker-target.ts';
import type { Target } from './target.ts';
import { TRY_REPORTS } from './formats.ts';
import { waitForStart } from './awaited-start.ts';
import { triedSummary, tryProbe } from './tried-probe.ts';
import { plannedProbes, type ProbeToTry } from './planned-probes.ts';
import type { TriedProbe } from '../output/json-outputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { NamedInputs } from '../input/live.ts';
import type { TRY } from './definition.ts';

type TryLine = ParsedCommandLine<typeof TRY.flags>;

/** Runs the probes of manifests against a running container, and prints the kubelet's verdicts. */
export async function runTry(line: TryLine, io: CommandIo): Promise<number> {
  const given = await readTryInputs(line, io);
  if (given === undefined) return EXIT_USAGE;
  const { manifests, world } = given;
  reportProblems([...manifests.warnings, ...manifests.problems], io, world);
  // A cluster may hide policies from a user who may still try probes.
  if (manifests.problems.length > 0 && !world.isFromCluster) return EXIT_USAGE;
  const { container: containers, probe } = line.flags;
  const planned = plannedProbes(given, containers, probe.flat());
  if (planned.length === 0) return refuse(io, 'the inputs have no such probe, so nothing is tried');
  const target = await openTarget(line, given, io).catch((error: unknown) => messageOf(error));
  if (typeof target === 'string') return refuse(io, target);
  const { count, wait, output, color, strict } = line.flags;
  const asking = { target, monotonic: io.monotonic, allowsSideEffects: line.flags['allow-side-effects'] };
  const starts = wait === undefined ? [] : await waitForStart(planned, asking, io.now, wait);
  const probes: TriedProbe[] = [];
  const untried = plannedProbes(given, containers, []).filter((one) => !planned.some((other) => isSame(one, other)));
  for (const one of planned) {
    const others = untried.filter((other) => isSame({ ...other, probe: one.probe }, one));
    probes.push(await tryProbe(one, count, asking, others));
  }
  const report = { probes, starts, isFromCluster: world.isFromCluster };
  io.stdout.write(TRY_REPORTS[output](report, screenOf(color, io)));
  const { fails, warns, notRun } = triedSummary(probes);
  if (notRun === probes.length) return refuse(io, 'no probe can be run');
  return fails > 0 || (strict && warns > 0) ? EXIT_DENIED : EXIT_OK;
}

/** True for the same probe of the same container. */
function isSame(one: ProbeToTry, other: ProbeToTry): boolean {
  const name = ({ kind, namespace, name, container, probe }: ProbeToTry): string =>
    [kind, namespace, name, container.name, probe].join('/');
  return name(one) === name(other);
}

function refuse(io: CommandIo, problem: string): number {
  printLine(io.stderr, `${PROGRAM} try: ${problem}`);
  return EXIT_USAGE;
}

async function readTryInputs(line: TryLine, io: CommandIo): Promise<NamedInputs | undefined> {
  const { address, docker } = line.flags;
  if (address !== undefined || docker !== undefined) return await readCommandInputs('try', line, io);
  const given = await readAnyInputs('try', line, io);
  if (given.live !== undefined) return given;
  refuse(io, 'name where to ask: --address HOST, --docker NAME, or a workload of a cluster such as -n shop deploy/web');
  return undefined;
}

async function openTarget(line: TryLine, given: NamedInputs, io: CommandIo): Promise<Target> {
  const { address, docker, port, exec = [], runtime } = line.flags;
  if (address !== undefined) return addressTarget(address.replace(/^\[|\]$/g, ''), new Map(port), exec);
  if (docker !== undefined) return await dockerTarget(docker, runtime, io.env['DOCKER_HOST']);
  // Most command lines need no client of the API server.
  const { clusterTarget } = await import('./cluster-target.ts');
  return await clusterTarget(line, given, io);
}
