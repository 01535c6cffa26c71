import { markdown } from './tables.ts';
import type { Findings } from './figures.ts';

const START = '<!-- figures: npm run bench -- --write -->\n';
const END = '<!-- end of figures -->\n';

/** The rows of the findings that a user decides by, with the words of docs/trust.md. */
const ROWS: readonly (readonly [what: string, words: string])[] = [
  [
    '/mutate at 20/s: Probewright / (b), processor time',
    '`/mutate`, 20 calls a second: times the processor time of a minimal Fastify app',
  ],
  ['/validate at 20/s: Probewright / (b), processor time', '`/validate`, 20 calls a second: the same'],
  [
    '/mutate after 7000 calls: Probewright / (b), processor time',
    '`/mutate`, the same once V8 has compiled what calls run: after 7,000 calls',
  ],
  ['/validate after 7000 calls: Probewright / (b), processor time', '`/validate`, the same'],
  ['/mutate at 20/s: Probewright, processor time each', 'processor time of such a `/mutate` call'],
  ['rest: Probewright in a cluster, processor time a second', 'processor time at rest in a cluster, a second'],
  ['no webhook: p50', 'creating a Pod without a webhook, p50'],
  ['Probewright: p50', 'a Pod of a user (two calls), p50'],
  ['Probewright: p99', 'a Pod of a user, p99'],
  ['no webhook, of a controller: p50', 'a Pod of a controller without a webhook, p50'],
  ['(b) once, of a controller: p50', 'the same with a minimal Fastify webhook, p50'],
  ['Probewright, of a controller: p50', 'a Pod of a controller (one call), p50'],
  ['Probewright, of a controller: p99', 'a Pod of a controller, p99'],
  ['Probewright, of a controller: processor time of a call', 'processor time of that call'],
  ['/mutate: Probewright, a second on core', 'most `/mutate` reviews of one core'],
  ['/validate: Probewright, a second on core', 'most `/validate` reviews of one core'],
  ['idle: Probewright in cluster mode', 'memory at rest'],
  ['after 500,000 requests', 'memory after 500,000 requests'],
  ['listening: Probewright', 'start until the port listens'],
  ['heap of a policy', 'heap of a policy'],
  ['check', '`check` of 1,000 manifests'],
  ['check / parsing, a rendered fleet', '`check` of a rendered fleet: times bare YAML parsing'],
  ['memory of check, 25 MB of workloads', 'memory of `check` with 25 MB of workloads'],
  ['Node alone, instructions', 'start of Node that runs nothing'],
  ['`kubectl version --client`', 'start and end of `kubectl version --client`'],
  ['`check` of one file', 'start and end of `check` with one file'],
  ['`fix` of one file', 'the same of `fix`'],
  ['`explain` of one file', 'the same of `explain`'],
  ['a key in one of 143 documents', 'processor time of a key in an editor, in a file of 143 documents'],
  ['memory of the server for editors', 'memory beside an editor after 200 such keys'],
];

/**
 * The page of the bench with the parts that were measured. All other parts stay.
 *
 * @param measuredOn the day and the machine, for each part
 */
export function withParts(page: string, findings: readonly Findings[], measuredOn: string): string {
  const [lead = '', ...parts] = page.split(/^(?=## )/m);
  const left = new Map(parts.map((part) => [/^## (.*)$/m.exec(part)?.[1], part.trimEnd()]));
  for (const found of findings) left.set(found.title, markdown(found).trim().replace('\n\n', `\n\n${measuredOn}\n\n`));
  return [lead.trimEnd(), ...left.values()].join('\n\n') + '\n';
}

/** docs/trust.md with the table of figures renewed. What was not measured keeps its row, if it has one. */
export function pageWithSummary(page: string, findings: readonly Findings[]): string {
  const measured = new Map(findings.flatMap(({ rows }) => rows.map(({ what, figure }) => [what, figure] as const)));
  const earlier = new Map(Array.from(page.matchAll(/^\| (.*) \| (.*) \|$/gm), ([, words, figure]) => [words, figure]));
  const lines = ROWS.flatMap(([what, words]) => {
    const figure = measured.get(what) ?? earlier.get(words);
    return figure === undefined ? [] : [`| ${words} | ${figure} |\n`];
  });
  const [before = '', rest = ''] = page.split(START);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error(`docs/trust.md has no place for the figures: ${START}${END}`);
  return `${before}${START}\n| what | median |\n|---|---|\n${lines.join('')}\n${END}${after}`;
}
