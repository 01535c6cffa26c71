import { stringify } from 'yaml';
import { constructsOf, needsMore } from '../../native/constructs.ts';
import { MOST_LAYERS, tooManyLayers } from '../../native/namespace-probes.ts';
import { nativeObjects } from '../../native/objects.ts';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { reportProblems } from '../output/messages.ts';
import { lackingKinds, readExportInputs, type ExportFlags } from './export-inputs.ts';
import { EXPORT_REPORTS } from './report.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { EXPORT } from './definition.ts';

/** Prints the native policy of the given policies. The report comes first, and decides whether anything is printed. */
export async function runExport({ flags }: ParsedCommandLine<typeof EXPORT.flags>, io: CommandIo): Promise<number> {
  const { snapshot, problems, warnings, client } = await readExportInputs(flags, io);
  reportProblems([...warnings, ...problems], io, { isFromCluster: client !== undefined });
  if (problems.length > 0) return EXIT_USAGE;
  const lacking = client && (await lackingKinds(client, ['MutatingAdmissionPolicy']));
  if (lacking !== undefined) return refused(lacking, io, EXIT_DENIED);
  if (snapshot.policies.length === 0) return refused(`the ${client ? 'cluster has' : 'inputs have'} no policy`, io);
  const [large] = tooManyLayers(snapshot);
  if (large !== undefined) {
    const where = large[0] === '' ? 'the cluster has' : `namespace ${large[0]} has`;
    return refused(`${where} ${large[1]} layers, and the native policy has room for ${MOST_LAYERS}`, io);
  }
  const constructs = constructsOf(snapshot.policies);
  const report = EXPORT_REPORTS[flags.report](constructs);
  (flags.output === 'none' ? io.stdout : io.stderr).write(report);
  if (needsMore(constructs) && !flags['allow-fewer']) return EXIT_DENIED;
  if (flags.output !== 'none')
    io.stdout.write(printed(nativeObjects(snapshot, flags['param-namespace']), flags.output));
  return EXIT_OK;
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
