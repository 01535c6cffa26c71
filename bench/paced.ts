import { judged, percentile, ratios, reading, type Findings, type Row } from './figures.ts';
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

/** Goals, each as a multiple of (b)'s figure. */
const GOALS = { cost: { '/mutate': 1.6, '/validate': 2 }, p99: 2 } as const;

/** Requests at a steady pace: processor time and latency beside (b), at the same rate. */
export async function paced(sides: Sides): Promise<Findings> {
  const [fastify, ours] = [await sides.fastify(), await sides.probewright()];
  try {
    const rows: Row[] = [];
    for (const [path, bodies] of reviewsOfPaths()) {
      const targets = { fastify: { server: fastify, path, bodies }, ours: { server: ours, path, bodies } };
      for (const target of Object.values(targets)) await saturate(target, { requests: WARM_UP_REQUESTS });
      for (const { perSecond, seconds } of PACES) rows.push(...(await atPace(path, targets, perSecond, seconds)));
    }
    return { title: 'Requests at a steady pace', how: HOW, rows };
  } finally {
    for (const server of [fastify, ours]) await server.stop();
  }
}

const HOW = [
  `API servers do not saturate a webhook: requests come one by one. ${ROUNDS} rounds a side, in turns, after ${WARM_UP_ROUNDS} that do not count, over 16 kept-alive connections, both sides at the same rate.`,
  'Processor time: all threads, user and system, without the TLS handshakes. A latency counts from when the request was due.',
  'The percentiles are of all counted rounds together. Requests that were due within a tenth of a second of a loss of a core are left out, for both sides: the host took the core of the server, or the load was late.',
  `A round is left out and repeated if others had the core of the server for more than ${MOST_TAKEN * 100} % of the time, or if more than half of its requests would be left out.`,
].join(' ');

interface Targets {
  readonly fastify: Target;
  readonly ours: Target;
}

async function atPace(path: keyof typeof GOALS.cost, targets: Targets, rate: number, seconds: number): Promise<Row[]> {
  const { kept, repeated } = await rounds(targets, rate, seconds);
  const microseconds = (side: keyof Targets): number[] => kept[side].map((one) => one.secondsEach * 1e6);
  const leftOut = (side: keyof Targets): number[] => kept[side].map((one) => one.leftOut);
  const [fastify, ours] = [joined(kept.fastify), joined(kept.ours)];
  const between = (percent: number): number[] => [percentile(ours, percent) / percentile(fastify, percent)];
  const at = `${path} at ${rate.toLocaleString('en')}/s`;
  return [
    reading(`${at}: (b), processor time each`, microseconds('fastify'), ' µs'),
    reading(`${at}: Probewright, processor time each`, microseconds('ours'), ' µs'),
    judged(`${at}: Probewright / (b), processor time`, ratios(microseconds('ours'), microseconds('fastify')), {
      atMost: GOALS.cost[path],
    }),
    ...[50, 99, 99.9].flatMap((percent) => [
      reading(`${at}: (b), p${percent}`, [percentile(fastify, percent)], ' ms'),
      reading(`${at}: Probewright, p${percent}`, [percentile(ours, percent)], ' ms'),
    ]),
    judged(`${at}: Probewright / (b), p99`, between(99), { atMost: GOALS.p99 }),
    reading(`${at}: Probewright / (b), p99.9`, between(99.9)),
    reading(`${at}: rounds repeated`, [repeated]),
    reading(`${at}: (b), share of the requests left out`, leftOut('fastify')),
    reading(`${at}: Probewright, share of the requests left out`, leftOut('ours')),
  ];
}

interface Rounds {
  readonly kept: Readonly<Record<keyof Targets, Paced[]>>;
  readonly repeated: number;
}

function isDisturbed({ taken: { byProcesses, byHost }, leftOut }: Paced): boolean {
  return byProcesses + byHost > MOST_TAKEN || leftOut > MOST_LEFT_OUT;
}

/** Rounds of both sides in turns. Both count or neither does: what is compared has met with the same. */
async function rounds(targets: Targets, rate: number, seconds: number): Promise<Rounds> {
  const kept: Rounds['kept'] = { fastify: [], ours: [] };
  let repeated = 0;
  for (let round = 0; kept.ours.length < ROUNDS; round++) {
    const fastify = await pace(targets.fastify, rate, seconds);
    const ours = await pace(targets.ours, rate, seconds);
    if (round < WARM_UP_ROUNDS) continue;
    if ([fastify, ours].some(isDisturbed) && repeated < MOST_REPEATED) repeated += 1;
    else {
      kept.fastify.push(fastify);
      kept.ours.push(ours);
    }
  }
  return { kept, repeated };
}

function joined(all: readonly Paced[]): Float64Array {
  return Float64Array.from(all.flatMap(({ latencies }) => [...latencies])).sort();
}
