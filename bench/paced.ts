import { judged, median, percentile, ratios, reading, type Findings, type Row } from './figures.ts';
import { pace, saturate, type Paced, type Target } from './load.ts';
import { reviewsOfPaths } from './reviews.ts';
import type { Sides } from './processes.ts';

/** Requests a second, and how long a round takes, in seconds. */
const PACES = [
  { perSecond: 500, seconds: 4 },
  { perSecond: 2500, seconds: 2 },
] as const;
const WARM_UP_REQUESTS = 25_000;
/** V8 compiles again when requests come one by one. */
const WARM_UP_ROUNDS = 3;
const ROUNDS = 7;
/** Rounds that are repeated as the core was taken away: so many at most. */
const MOST_REPEATED = 14;
/** The share of a round for which the core may be taken away. */
const MOST_TAKEN = 0.02;
/** The share of a round's requests that may be left out of the latencies. */
const MOST_LEFT_OUT = 0.5;

/** Goals, each as a multiple of (a)'s figure. */
const GOALS = { cost: { '/mutate': 1.5, '/validate': 1.8 }, p99: 2, p999: 3 } as const;

/** Requests at a steady pace: processor time at the same rate as (a), latency at the same share of the core. */
export async function paced(sides: Sides): Promise<Findings> {
  const [bare, ours] = [await sides.bare(), await sides.probewright()];
  try {
    const rows: Row[] = [];
    for (const [path, bodies] of reviewsOfPaths()) {
      const targets = { bare: { server: bare, path, bodies }, ours: { server: ours, path, bodies } };
      for (const target of Object.values(targets)) await saturate(target, { requests: WARM_UP_REQUESTS });
      for (const { perSecond, seconds } of PACES) rows.push(...(await atPace(path, targets, perSecond, seconds)));
    }
    return { title: 'Requests at a steady pace', how: HOW, rows };
  } finally {
    for (const server of [bare, ours]) await server.stop();
  }
}

const HOW = [
  `API servers do not saturate a webhook: requests come one by one. ${ROUNDS} rounds a side, in turns, after ${WARM_UP_ROUNDS} that do not count, over 16 kept-alive connections.`,
  'Processor time: both sides at the same rate, all threads, user and system, without the TLS handshakes.',
  'Latency: Probewright at that rate, (a) at the rate at which (a) uses the same share of the core. A latency counts from when the request was due.',
  'The percentiles are of all counted rounds together. Requests that were due within a tenth of a second of a loss of a core are left out, for both sides: the host took the core of the server, or the load was late.',
  `A round is left out and repeated if other processes had the core of the server for more than ${MOST_TAKEN * 100} % of the time. So is a round for the processor time if the host took so much, and a round for the latency if more than half of its requests would be left out.`,
].join(' ');

interface Targets {
  readonly bare: Target;
  readonly ours: Target;
}

async function atPace(path: keyof typeof GOALS.cost, targets: Targets, rate: number, seconds: number): Promise<Row[]> {
  const cost = await rounds(targets, { bare: rate, ours: rate }, seconds, isCostDisturbed);
  const microseconds = (side: keyof Targets): number[] => cost.kept[side].map((one) => one.secondsEach * 1e6);
  const cheaper = median(ratios(microseconds('ours'), microseconds('bare')));
  const even = await rounds(targets, { bare: rate * cheaper, ours: rate }, seconds, areLatenciesDisturbed);
  const share = median(microseconds('ours')) * 1e-6 * rate;
  const all = (side: keyof Targets): Float64Array => joined(even.kept[side]);
  const [bare, ours] = [all('bare'), all('ours')];
  const at = `${path} at ${rate.toLocaleString('en')}/s`;
  const between = (percent: number): number[] => [percentile(ours, percent) / percentile(bare, percent)];
  return [
    reading(`${at}: (a), processor time each`, microseconds('bare'), ' µs'),
    reading(`${at}: Probewright, processor time each`, microseconds('ours'), ' µs'),
    judged(`${at}: Probewright / (a), processor time`, ratios(microseconds('ours'), microseconds('bare')), {
      atMost: GOALS.cost[path],
    }),
    reading(`${at}: share of the core`, [share]),
    reading(`${at}: rate of (a) at that share`, [rate * cheaper], '/s'),
    ...[50, 99, 99.9].flatMap((percent) => [
      reading(`${at}: (a), p${percent}`, [percentile(bare, percent)], ' ms'),
      reading(`${at}: Probewright, p${percent}`, [percentile(ours, percent)], ' ms'),
    ]),
    judged(`${at}: Probewright / (a), p99`, between(99), { atMost: GOALS.p99 }),
    judged(`${at}: Probewright / (a), p99.9`, between(99.9), { atMost: GOALS.p999 }),
    reading(`${at}: rounds left out`, [cost.leftOut + even.leftOut]),
    reading(`${at}: (a), share of the requests left out`, shareLeftOut(even.kept.bare)),
    reading(`${at}: Probewright, share of the requests left out`, shareLeftOut(even.kept.ours)),
  ];
}

interface Rounds {
  readonly kept: Readonly<Record<keyof Targets, Paced[]>>;
  readonly leftOut: number;
}

const isCostDisturbed = ({ taken: { byProcesses, byHost } }: Paced): boolean => byProcesses + byHost > MOST_TAKEN;
const areLatenciesDisturbed = ({ taken: { byProcesses }, leftOut }: Paced): boolean =>
  byProcesses > MOST_TAKEN || leftOut > MOST_LEFT_OUT;
const shareLeftOut = (rounds: readonly Paced[]): number[] => rounds.map(({ leftOut }) => leftOut);

/** Rounds of both sides in turns. Both count or neither does: what is compared has met with the same. */
async function rounds(
  targets: Targets,
  rates: Record<keyof Targets, number>,
  seconds: number,
  isDisturbed: (round: Paced) => boolean,
): Promise<Rounds> {
  const kept: Rounds['kept'] = { bare: [], ours: [] };
  let leftOut = 0;
  for (let round = 0; kept.ours.length < ROUNDS; round++) {
    const bare = await pace(targets.bare, rates.bare, seconds);
    const ours = await pace(targets.ours, rates.ours, seconds);
    if (round < WARM_UP_ROUNDS) continue;
    if ([bare, ours].some(isDisturbed) && leftOut < MOST_REPEATED) leftOut += 1;
    else {
      kept.bare.push(bare);
      kept.ours.push(ours);
    }
  }
  return { kept, leftOut };
}

function joined(all: readonly Paced[]): Float64Array {
  return Float64Array.from(all.flatMap(({ latencies }) => [...latencies])).sort();
}
