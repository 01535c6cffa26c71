import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { expectValidReply } from '../support/protocol.ts';
import { mebibytes, readable, report } from './figures.ts';
import { hostileManifest, hostilePolicy, hostilePolicyFile, hostileReview } from './hostile-documents.ts';
import { NAMED_POLICIES, NAMED_YAML } from './named-policies.ts';
import { NAMED_REVIEWS, type NamedTexts } from './named-reviews.ts';
import { MACHINE_FACTOR, RUNS, SEED } from './settings.ts';
import { Victim } from './victim-process.ts';
import type { CallName, Outcome } from './victim-calls.ts';

/** Nothing takes longer than this. */
const LIMIT_MILLISECONDS = 1000;
/** Or than so many times what the YAML library alone takes for the text. */
const YAML_FACTOR = 6;
/** What a process may hold more after all of it than before. */
const HEAP_MARGIN_BYTES = 12 * 1024 * 1024;

/** One that has no more memory than a container of the chart, and one as on the machine of whoever runs a command. */
const server = new Victim(256);
const terminal = new Victim(1536);
afterAll(() => {
  server.stop();
  terminal.stop();
});

/** The library takes seconds for the large ones, and shows nothing else with them. */
const smallPolicies = Object.entries(NAMED_POLICIES).filter(([, text]) => text().length < 2_000_000);

async function attack(
  victim: Victim,
  call: CallName,
  text: string,
): Promise<{ outcome: Outcome; milliseconds: number }> {
  const { outcome, milliseconds, bareMilliseconds, slowdown } = await victim.call(call, text);
  const limit = Math.max(LIMIT_MILLISECONDS * Math.max(slowdown, MACHINE_FACTOR), bareMilliseconds * YAML_FACTOR);
  expect(milliseconds, `milliseconds for ${call}`).toBeLessThan(limit);
  for (const { webhook, uid, text: reply } of outcome.replies ?? []) expectValidReply(webhook, uid, JSON.parse(reply));
  // As on a machine that does nothing else.
  return { outcome, milliseconds: milliseconds / slowdown };
}

async function attackWithAll(victim: Victim, call: CallName, texts: NamedTexts): Promise<void> {
  const slowest = { name: '', milliseconds: 0 };
  for (const [name, text] of Object.entries(texts)) {
    const { milliseconds } = await attack(victim, call, text()).catch((error: unknown) => {
      throw new Error(`${call} of ${name}: ${String(error)}`, { cause: error });
    });
    if (milliseconds > slowest.milliseconds) Object.assign(slowest, { name, milliseconds });
  }
  report(
    'Hostile bodies',
    `${Object.keys(texts).length} named texts as ${call}`,
    `slowest ${readable(slowest.milliseconds)} (${slowest.name})`,
  );
}

describe('a text that was made to do harm', () => {
  it(
    'is answered or refused within a second as a review',
    () => attackWithAll(server, 'review', NAMED_REVIEWS),
    300_000,
  );

  it(
    'is accepted or refused within a second as a policy of the API',
    () => attackWithAll(server, 'policy', NAMED_POLICIES),
    300_000,
  );

  it.each(['policy file', 'check', 'fix', 'explain'] as const)(
    'is read or refused as fast as YAML can be, by %s',
    (call) =>
      attackWithAll(
        terminal,
        call,
        call === 'policy file' ? { ...NAMED_YAML, ...Object.fromEntries(smallPolicies) } : NAMED_YAML,
      ),
    300_000,
  );
});

const fuzzed: readonly (readonly [CallName, Victim, fc.Arbitrary<string>, number])[] = [
  ['review', server, hostileReview, RUNS],
  ['policy', server, hostilePolicy, RUNS],
  ['policy file', server, hostilePolicyFile, Math.ceil(RUNS / 2)],
  ['check', terminal, hostileManifest, Math.ceil(RUNS / 3)],
  ['fix', terminal, hostileManifest, Math.ceil(RUNS / 3)],
  ['explain', terminal, hostileManifest, Math.ceil(RUNS / 3)],
];

describe('a random text, made from a real one or from noise', () => {
  it.each(fuzzed)(
    'is answered or refused within a second by %s, and leaves nothing behind',
    async (call, victim, texts, numRuns) => {
      // What a first call loads and compiles is no leak.
      await fc.assert(
        fc.asyncProperty(texts, (text) => attack(victim, call, text).then(() => undefined)),
        { numRuns: 100, seed: SEED + 1 },
      );
      const before = await victim.heap();
      let slowest = 0;
      const verdicts = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          const { outcome, milliseconds } = await attack(victim, call, text);
          slowest = Math.max(slowest, milliseconds);
          verdicts.set(outcome.verdict, (verdicts.get(outcome.verdict) ?? 0) + 1);
        }),
        { numRuns, seed: SEED },
      );
      const growth = (await victim.heap()) - before;
      expect(growth).toBeLessThan(HEAP_MARGIN_BYTES);
      const shown = [...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
      report(
        'Hostile bodies',
        `${numRuns} random texts as ${call}, seed ${SEED}`,
        `${shown}; slowest ${readable(slowest)}; heap ${mebibytes(growth)} more`,
      );
    },
    300_000,
  );
});
