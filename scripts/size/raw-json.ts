import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The functions of src/base/json that read a member of JSON whose form nobody has checked. */
const RAW_READS = new Set(['member', 'objectMember', 'stringMember', 'listMember', 'stringMap', 'stringMembers']);

/** The rooms in which a read of raw JSON is a decision about a form. `base` and `yaml` know no form. */
const ROOMS = ['engine', 'explain', 'observer', 'cli', 'webhook', 'process', 'cluster', 'package'];

/** Files and folders that turn JSON into a model: a read there is their purpose, and does not count. */
const PARSERS = [
  'src/engine/workload/',
  'src/engine/policy/',
  'src/engine/facts/read-service.ts',
  'src/engine/facts/read-startup-profile.ts',
  'src/webhook/review/review.ts',
  'src/observer/live-pod.ts',
  'src/observer/failing/probe-events.ts',
  'src/cluster/client/',
  'src/cluster/sources/policy-documents.ts',
  'src/cli/snapshot/items/',
];

/** How often the rooms read raw JSON outside of parsers, by file, the most reads first. */
export function rawReadsOf(files: readonly string[]): readonly (readonly [file: string, reads: number])[] {
  return files
    .filter((file) => ROOMS.some((room) => file.startsWith(`src/${room}/`)))
    .filter((file) => !PARSERS.some((parser) => file.startsWith(parser)))
    .map((file) => [file, callsIn(readFileSync(file, 'utf8'), RAW_READS)] as const)
    .filter(([, reads]) => reads > 0)
    .sort((one, other) => other[1] - one[1]);
}

/** The files that call a function. */
export function callersOf(name: string, files: readonly string[]): readonly string[] {
  return files.filter((file) => callsIn(readFileSync(file, 'utf8'), new Set([name])) > 0);
}

/** The number of calls of functions of these names in a TypeScript text. */
export function callsIn(text: string, names: ReadonlySet<string>): number {
  let calls = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && names.has(node.expression.text)) calls += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('text.ts', text, ts.ScriptTarget.ES2024));
  return calls;
}
