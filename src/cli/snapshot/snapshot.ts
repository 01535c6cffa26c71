import { profileName } from '../../engine/facts/startup-profile.ts';
import { NumberLiteral, type JsonObject } from '../../base/json/json-value.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { manifestsAsSent } from '../input/manifest.ts';
import { knownResult } from '../../observer/reports/known-result.ts';
import { PROBEWRIGHT, readObserverReport, REPORT_APIS } from '../../cluster/sources/observer-reports.ts';
import { snapshotItems } from './items/snapshot-items.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { ReportOfWorkload } from '../../cluster/sources/observer-reports.ts';
import type { SNAPSHOT } from './definition.ts';

export async function runSnapshot(line: ParsedCommandLine<typeof SNAPSHOT.flags>, io: CommandIo): Promise<number> {
  const { flags } = line;
  const progress = new Progress(io);
  const wishes = { keepsObjects: true, readsReports: true };
  const all = {
    ...line,
    flags: { ...flags, policies: undefined, now: undefined, 'kubernetes-version': undefined },
  };
  const inputs = await readAnyInputs('snapshot', all, io, progress, wishes);
  const manifests = inputs.texts.flatMap((text) => manifestsAsSent(text));
  const objects = [...(inputs.others ?? []), ...manifests.map(({ object }) => object)];
  const reports = (inputs.observed ?? []).map(reportItem).filter((item) => item !== undefined);
  const items = snapshotItems([...objects, ...reports], { ...inputs, reportPart });
  progress.end();
  writeList(items, io.stdout);
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io, inputs);
  return inputs.problems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

/** Writes a v1 List as JSON, which is YAML too. Each item is written by itself, because a cluster may have many. */
function writeList(items: readonly JsonObject[], stdout: CommandIo['stdout']): void {
  const indent = (item: JsonObject): string => jsonOf(item).replaceAll('\n', '\n    ');
  stdout.write('{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [');
  for (const [index, item] of items.entries()) stdout.write(`${index === 0 ? '' : ','}\n    ${indent(item)}`);
  stdout.write(items.length === 0 ? ']\n}\n' : '\n  ]\n}\n');
}

/** JSON.rawJSON keeps a number as it was written. TypeScript does not know the function yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function jsonOf(item: JsonObject): string {
  return JSON.stringify(
    item,
    (_key, value: unknown) => (value instanceof NumberLiteral ? rawJSON(value.source) : value),
    2,
  );
}

/** The reports of an observer about live Pods, for a snapshot. Undefined for other objects. */
export function reportPart(object: JsonObject): JsonObject | undefined {
  const observed = readObserverReport(object);
  return observed && reportItem(observed);
}

/**
 * A report as an item of a snapshot, in the preferred API. A report of an observer has the UID of its workload in its
 * name. The item is named by kind and name instead. Undefined when no result may leave.
 */
export function reportItem(observed: ReportOfWorkload): JsonObject | undefined {
  const { apiVersion, kind, namespace, name } = observed;
  const [api] = REPORT_APIS;
  const workload = { namespace, group: groupOfVersion(apiVersion), kind, name };
  const results = observed.results.flatMap((result) => knownResult(result, workload) ?? []);
  if (api === undefined || results.length === 0) return undefined;
  return {
    apiVersion: api.apiVersion,
    kind: api.kind,
    metadata: { name: `${PROBEWRIGHT}-${profileName(kind, name)}`, namespace },
    source: PROBEWRIGHT,
    scope: { apiVersion, kind, namespace, name },
    results: results.map((result) => ({ source: PROBEWRIGHT, ...result })),
  };
}
