import { stringify } from 'yaml';
import { constructsOf, constructsOfFloors, needsMore } from '../../native/constructs.ts';
import type { AdmissionKind } from '../../native/admission-kinds.ts';
import { ORDINARY_CONTAINERS, tooCostly } from '../../native/cost.ts';
import { MOST_LAYERS, tooManyLayers } from '../../native/namespace-probes.ts';
import { nativeObjects } from '../../native/objects.ts';
import { floorsOf, validatingObjects } from '../../native/validating-policy.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { lackingKinds, readExportInputs, type ExportFlags } from './export-inputs.ts';
import { EXPORT_REPORTS } from './report.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { EXPORT } from './definition.ts';

/** Prints the native policy of the given policies. The report comes first, and decides whether anything is printed. */
export async function runExport({ flags }: ParsedCommandLine<typeof EXPORT.flags>, io: CommandIo): Promise<number> {
  const { snapshot, problems, warnings, client } = await readExportInputs(flags, io);
  reportProblems([...warnings, ...problems], io, { isFromCluster: client !== undefined });
  if (problems.length > 0) return EXIT_USAGE;
  const kinds = [
    'MutatingAdmissionPolicy',
    ...(flags.validate ? ['ValidatingAdmissionPolicy'] : []),
  ] as AdmissionKind[];
  const lacking = client && (await lackingKinds(client, kinds));
  if (lacking !== undefined) return refused(lacking, io, EXIT_DENIED);
  if (snapshot.policies.length === 0) return refused(`the ${client ? 'cluster has' : 'inputs have'} no policy`, io);
  const tooMuch = problemOfLayers(snapshot);
  if (tooMuch !== undefined) return refused(tooMuch, io);
  const floors = flags.validate ? floorsOf(snapshot) : [];
  const constructs = [...constructsOf(snapshot.policies), ...constructsOfFloors(floors)];
  const report = EXPORT_REPORTS[flags.report](constructs, kinds);
  (flags.output === 'none' ? io.stdout : io.stderr).write(report);
  if (needsMore(constructs) && !flags['allow-fewer']) return EXIT_DENIED;
  const home = flags['param-namespace'];
  if (flags.output !== 'none')
    io.stdout.write(printed([...nativeObjects(snapshot, home), ...validatingObjects(floors, home)], flags.output));
  return EXIT_OK;
}

/** Why the API server would give no probes, with the number. */
function problemOfLayers(snapshot: Snapshot): string | undefined {
  const where = (namespace: string): string => (namespace === '' ? 'the cluster has' : `namespace ${namespace} has`);
  for (const [namespace, layers] of tooManyLayers(snapshot))
    return `${where(namespace)} ${layers} layers, and the native policy has room for ${MOST_LAYERS}`;
  for (const [namespace, units, limit] of tooCostly(snapshot))
    return (
      `${where(namespace)} layers that cost about ${units} units for a Pod with ${ORDINARY_CONTAINERS} containers, ` +
      `and the API server allows ${limit}: name fewer images and containers`
    );
  return undefined;
}

function refused(problem: string, io: CommandIo, code = EXIT_USAGE): number {
  printLine(io.stderr, `${PROGRAM} export: ${problem}`);
  return code;
}

/** Data for kubectl, so nothing is escaped that YAML and JSON do not escape. */
function printed(objects: readonly JsonObject[], output: ExportFlags['output']): string {
  if (output === 'json') return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, undefined, 2)}\n`;
  return objects.map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`).join('');
}
