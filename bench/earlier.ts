import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { judged, ratios, reading } from './figures.ts';
import { saturate } from './load.ts';
import { podReviews, workloadReviews } from './reviews.ts';
import type { Findings, Row } from './figures.ts';
import type * as Policies from './policies.ts';
import type { MeasuredServer, Sides } from './processes.ts';

/** Many short rounds: what a neighbour takes from one round, it takes from the other side's next round. */
const ROUNDS = 41;
const SECONDS = 0.5;
const WARM_UP_REQUESTS = 25_000;

/** The least that this build may answer of what the earlier build answers, in a second of processor time. */
const LEAST = 0.95;

/**
 * Compares this build with an earlier one, side by side. Both get the policies of the earlier checkout, because an older
 * build refuses the names of newer checks.
 *
 * @param checkout a directory with an earlier commit, in which `npm run build` has run
 */
export async function againstEarlier(sides: Sides, checkout: string): Promise<Findings> {
  const { fiftyPolicies } = (await import(pathToFileURL(join(checkout, 'bench/policies.ts')).href)) as typeof Policies;
  const start = (program: string): Promise<MeasuredServer> => sides.probewrightOf(program, fiftyPolicies());
  const [earlier, now] = [await start(join(checkout, 'dist/probewright.js')), await start(sides.program)];
  try {
    const rows: Row[] = [];
    for (const [path, bodies] of [
      ['/mutate', podReviews('user')],
      ['/validate', workloadReviews()],
    ] as const) {
      const targets = { earlier: { server: earlier, path, bodies }, now: { server: now, path, bodies } };
      for (const target of Object.values(targets)) await saturate(target, { requests: WARM_UP_REQUESTS });
      const rates = { earlier: [] as number[], now: [] as number[] };
      for (let round = 0; round < ROUNDS; round++)
        // The order changes from round to round, so a drift of the machine favours no side.
        for (const side of round % 2 === 0 ? (['earlier', 'now'] as const) : (['now', 'earlier'] as const))
          rates[side].push((await saturate(targets[side], { seconds: SECONDS })).perCpuSecond);
      rows.push(
        reading(`${path}: earlier build, a second on core`, rates.earlier, '/s'),
        reading(`${path}: this build, a second on core`, rates.now, '/s'),
        judged(`${path}: this build / earlier build, a second on core`, ratios(rates.now, rates.earlier), {
          atLeast: LEAST,
        }),
      );
    }
    return { title: 'Beside an earlier build', how: HOW, rows };
  } finally {
    for (const server of [earlier, now]) await server.stop();
  }
}

const HOW = `${ROUNDS} rounds of ${SECONDS} s a side, in turns, after ${WARM_UP_REQUESTS.toLocaleString('en')} requests to warm up. Both builds have the policies of the earlier one in force and answer the same reviews.`;
