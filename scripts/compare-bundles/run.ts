import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { anyPod, validPod } from '../../test/support/arbitraries.ts';
import { busyWorld, labels, NAMESPACES } from '../../test/robustness/random-worlds.ts';
import { reviewOf } from '../../test/support/worlds.ts';
import { serveBundle } from './served.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/**
 * Compares two bundles: the replies to seeded random reviews, the counters afterwards, and what the commands print about
 * fixtures and examples. Prints each difference. Exit code 1 when there is one.
 *
 * `npm run compare:bundles -- OLD NEW [--reviews 2000] [--worlds 20] [--seed 1]`: OLD and NEW are files such as
 * `dist/probewright.js`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reviews: { type: 'string', default: '2000' },
    worlds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const [before, after] = positionals.map((file) => resolve(file));
if (before === undefined || after === undefined || !existsSync(before) || !existsSync(after))
  throw new Error('name two bundles that exist: npm run compare:bundles -- OLD/probewright.js NEW/probewright.js');

/** Differences that are printed whole; the others are only counted. */
const MOST_PRINTED = 20;
let differences = 0;

function compare(subject: string, old: string, current: string): void {
  if (old === current) return;
  differences += 1;
  if (differences > MOST_PRINTED) return;
  const patch = createTwoFilesPatch('old', 'new', old, current, undefined, undefined, { maxEditLength: 2000 });
  console.log(`== ${subject}\n${patch ?? 'many lines differ'}`);
}

/** Replies as lines, with the patch decoded, so that a difference is short. */
function readable(reply: string): string {
  return reply
    .replace(/"patch":"([A-Za-z0-9+/=]*)"/, (_, patch: string) => Buffer.from(patch, 'base64').toString('utf8'))
    .replaceAll(',', ',\n');
}

const INPUTS = ['examples', 'test/fixtures/checks', 'test/fixtures/incidents', 'test/fixtures/policies'];
const POLICIES = ['--policies', 'examples/policies', '--now', '2026-11-01T00:00:00Z'];
const COMMANDS: readonly (readonly string[])[] = [
  ['check', '--output', 'json', '--min-level', 'note'],
  ['check'],
  ['explain'],
  ['explain', '--output', 'json'],
  ['fix', '--diff', '--advice'],
  ['fix', '--output', 'json'],
  ['plan', '--output', 'json'],
  ['report'],
];

function printedBy(bundle: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return `exit ${status ?? 'by a signal'}\n${stdout}\n${stderr}`;
}

for (const input of INPUTS)
  for (const [name = '', ...flags] of COMMANDS) {
    const args = [name, input, ...POLICIES, ...flags];
    compare(args.join(' '), printedBy(before, args), printedBy(after, args));
  }

const seed = Number(values.seed);
const worlds = fc.sample(busyWorld, { numRuns: Number(values.worlds), seed });
const eachWorld = Math.ceil(Number(values.reviews) / worlds.length);
let compared = 0;
let refused = 0;
for (const [index, { tiers }] of worlds.entries()) {
  const documents = tiers[0] ?? [];
  const [old, current] = [await serveBundle(before, documents), await serveBundle(after, documents)];
  compare(`world ${index}: the policies are read`, String(old !== undefined), String(current !== undefined));
  if (old !== undefined && current !== undefined) {
    for (const [path, body] of reviewsOf(index)) {
      const [one, other] = await Promise.all([old.ask(path, body), current.ask(path, body)]);
      if (one !== other) compare(`world ${index} ${path} ${body}`, readable(one), readable(other));
      compared += 1;
    }
    compare(`world ${index}: counters`, await old.counters(), await current.counters());
  } else refused += 1;
  await Promise.all([old?.stop(), current?.stop()]);
}

/** The reviews of one world: Pods, valid and not, to both webhooks. */
function reviewsOf(world: number): readonly (readonly [path: string, body: string])[] {
  const pods = fc.tuple(fc.oneof(validPod, anyPod), fc.constantFrom(...NAMESPACES), labels);
  return fc.sample(pods, { numRuns: Math.ceil(eachWorld / 2), seed: seed + world }).flatMap(([pod, namespace, own]) => {
    const metadata = { ...(pod['metadata'] as JsonObject | undefined), namespace, labels: own };
    const body = JSON.stringify(reviewOf({ ...pod, metadata }, { namespace }));
    return [['/mutate?timeout=10s', body] as const, ['/validate?timeout=10s', body] as const];
  });
}

const commands = INPUTS.length * COMMANDS.length;
console.log(
  `${compared} replies and ${commands} outputs compared, seed ${seed}: ${differences} differences; ` +
    `${refused} of ${worlds.length} worlds were refused by a bundle`,
);
process.exitCode = differences > 0 ? 1 : 0;
