import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECK_CATALOGUE } from '../src/engine/checks/catalogue.ts';
import { judged, ratios, reading, type Findings, type Row } from './figures.ts';
import { saturate, type Target } from './load.ts';
import { clusterPolicy } from './policies.ts';
import { reviewsOfPaths } from './reviews.ts';
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
 * build refuses the names of newer checks. The goal is for the same work: this build with the newer checks off. What the
 * newer checks cost is shown beside it.
 *
 * @param checkout a directory with an earlier commit, in which `npm run build` has run
 */
export async function againstEarlier(sides: Sides, checkout: string): Promise<Findings> {
  const { fiftyPolicies } = (await import(pathToFileURL(join(checkout, 'bench/policies.ts')).href)) as typeof Policies;
  const policies = fiftyPolicies() as CheckingPolicy[];
  const newer = newerChecks(policies);
  const off = clusterPolicy('newer-checks', {
    priority: 1000,
    checks: Object.fromEntries(newer.map((id) => [id, { action: 'Off' }])),
  });
  const servers: Record<Side, MeasuredServer> = {
    earlier: await sides.probewrightOf(join(checkout, 'dist/probewright.js'), policies),
    same: await sides.probewrightOf(sides.program, [...policies, off]),
    now: await sides.probewrightOf(sides.program, policies),
  };
  try {
    const rows: Row[] = [];
    for (const [path, bodies] of reviewsOfPaths()) {
      const target = (side: Side): Target => ({ server: servers[side], path, bodies });
      for (const side of SIDES) await saturate(target(side), { requests: WARM_UP_REQUESTS });
      const rates: Record<Side, number[]> = { earlier: [], same: [], now: [] };
      for (let round = 0; round < ROUNDS; round++)
        // The order changes from round to round, so a drift of the machine favours no side.
        for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed())
          rates[side].push((await saturate(target(side), { seconds: SECONDS })).perCpuSecond);
      rows.push(
        reading(`${path}: earlier build, a second on core`, rates.earlier, '/s'),
        reading(`${path}: this build, the same checks, a second on core`, rates.same, '/s'),
        reading(`${path}: this build, ${newer.length} newer checks, too, a second on core`, rates.now, '/s'),
        judged(`${path}: this build, the same checks / earlier build`, ratios(rates.same, rates.earlier), {
          atLeast: LEAST,
        }),
        reading(`${path}: this build, newer checks, too / earlier build`, ratios(rates.now, rates.earlier)),
      );
    }
    return { title: 'Beside an earlier build', how: HOW, rows };
  } finally {
    for (const side of SIDES) await servers[side].stop();
  }
}

const SIDES = ['earlier', 'same', 'now'] as const;
type Side = (typeof SIDES)[number];

interface CheckingPolicy {
  readonly spec: { readonly checks?: Readonly<Record<string, unknown>> };
}

/** The checks of this build that an earlier build's policies, which name all of its checks, do not name. */
function newerChecks(policies: readonly CheckingPolicy[]): string[] {
  const known = new Set(policies.flatMap(({ spec }) => Object.keys(spec.checks ?? {})));
  return Object.keys(CHECK_CATALOGUE).filter((id) => !known.has(id));
}

const HOW = [
  `${ROUNDS} rounds of ${SECONDS} s a side, in turns, after ${WARM_UP_REQUESTS.toLocaleString('en')} requests to warm up.`,
  'Both builds have the policies of the earlier one in force and answer the same reviews.',
  'This build answers them twice: with the newer checks off, and with all checks on.',
].join(' ');
