import { NumberLiteral, type JsonObject } from '../../base/json/json-value.ts';
import { manifestsAsSent } from '../input/manifests.ts';
import { reportItem, reportPart } from './report-item.ts';
import { snapshotItems } from './items/snapshot-items.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { SNAPSHOT } from './definition.ts';

export async function runSnapshot(line: ParsedCommandLine<typeof SNAPSHOT.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const { manifests, world, live } = await readAnyInputs('snapshot', line, io, progress, {
    keepsObjects: true,
    readsReports: true,
  });
  const sent = manifests.texts.flatMap((text) => manifestsAsSent(text));
  const objects = [...(live?.objects ?? []), ...sent.map(({ object }) => object)];
  const reports = (live?.reports ?? []).map(reportItem).filter((item) => item !== undefined);
  const items = snapshotItems([...objects, ...reports], { ...world, reportPart });
  progress.end();
  writeList(items, io.stdout);
  reportProblems([...manifests.warnings, ...manifests.problems], io, world);
  return manifests.problems.length > 0 ? EXIT_USAGE : EXIT_OK;
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
