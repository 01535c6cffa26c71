import { filesByCapability } from './capabilities.ts';
import { namesExportedTwice } from './exported-names.ts';
import { callersOf, rawReadsOf } from './raw-json.ts';
import { walkOf } from './walk.ts';
import { closureOf, filesBelow, importGraph, singleChecksOf, sizeOf, textSizeOf, type Size } from './measure.ts';

/** The two files that decide about a request. */
const DECISION = ['src/webhook/review/validate.ts', 'src/webhook/review/mutate.ts'];

/** Prints how large the project is: what users get, all of src, what the webhook's process can load, and the tests. */
const src = filesBelow('src');
const graph = importGraph(src);
const singleChecks = singleChecksOf(graph);
const withoutSingleChecks = (...starts: readonly string[]): Size => {
  const files = new Set(starts.flatMap((start) => [...closureOf(start, graph)]));
  return sizeOf([...files].filter((file) => !singleChecks.has(file)));
};
const rows: readonly (readonly [string, Size])[] = [
  ...Array.from(filesByCapability(src), ([name, files]) => [name, sizeOf(files)] as const),
  ['src', sizeOf(src)],
  ['src: all that serve imports', sizeOf(closureOf('src/webhook/serve.ts', graph))],
  ['  without single checks', withoutSingleChecks('src/webhook/serve.ts')],
  ['src: a decision, without single checks', withoutSingleChecks(...DECISION)],
  ['test', sizeOf(filesBelow('test'))],
];

const width = Math.max(...rows.map(([name]) => name.length));
const figure = (value: number | string): string => value.toLocaleString('en').padStart(8);
console.log(`${' '.repeat(width)}${figure('files')}${figure('lines')}${figure('code')}`);
for (const [name, { files, lines, code }] of rows)
  console.log(`${name.padEnd(width)}${figure(files)}${figure(lines)}${figure(code)}`);
const [largest, lines] = src
  .map((file) => [file, sizeOf([file]).lines] as const)
  .reduce((a, b) => (b[1] > a[1] ? b : a));
console.log(`longest file: ${largest}, ${lines} lines`);

const { stays, climbs } = walkOf('src/cli/check/check.ts', 'runCheck', 'src/cli/', graph);
console.log(
  `the walk of check through src/cli: ${stays.length} stays in ${new Set(stays).size} files, ${climbs} climbs`,
);

// Each fact has one home; these files ask it, or read beside it.
const beside = (folder: string, ...names: readonly string[]): string => {
  const files = names.flatMap((name) => callersOf(name, src)).filter((file) => !file.startsWith(folder));
  return `${new Set(files).size} (${[...new Set(files)].join(', ')})`;
};
console.log(
  `files that cut a script beside engine/command: ${beside('src/engine/command/', 'readScript', 'readShellScript')}`,
);
console.log(`files that ask the one table of programs: ${beside('src/engine/command/', 'knownProgram')}`);
console.log(`files that ask the one chooser of startup numbers: ${beside('src/engine/time/', 'startupNumbers')}`);
console.log(`files that ask what a port speaks: ${beside('src/engine/port/', 'protocolOfPort', 'portSpeaker')}`);
const endpoint = sizeOf(closureOf('src/webhook/http/review-endpoint.ts', graph));
console.log(
  `review-endpoint.ts and all that it imports: ${withoutSingleChecks('src/webhook/http/review-endpoint.ts').lines} lines without single checks, ${endpoint.lines} with them`,
);

const rawReads = rawReadsOf(src);
const [most = ['none', 0]] = rawReads;
console.log(
  `reads of raw JSON outside of parsers: ${rawReads.reduce((sum, [, reads]) => sum + reads, 0)} in ${rawReads.length} files; most in ${most[0]}: ${most[1]}`,
);
console.log(`files that call containersOf: ${callersOf('containersOf', src).length}`);
const twice = namesExportedTwice(src);
console.log(`exported names that exist twice: ${twice.size}`);
for (const [name, files] of twice) console.log(`  ${name}: ${files.join(', ')}`);

for (const [name, files] of [
  ['docs', filesBelow('docs', '.md')],
  ['README.md', ['README.md']],
  ['ARCHITECTURE.md', ['ARCHITECTURE.md']],
] as const) {
  const { pages, words, allWords, links } = textSizeOf(files);
  const byHand = `${words.toLocaleString('en')} words by hand, ${allWords.toLocaleString('en')} with tables and examples`;
  console.log(`${name}: ${pages} pages, ${byHand}, ${links} links`);
}
