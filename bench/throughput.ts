import { judged, median, percentile, ratios, reading, type Findings, type Row } from './figures.ts';
import { pace, saturate, type Saturation, type Target } from './load.ts';
import { podReviews, workloadReviews } from './reviews.ts';
import type { MeasuredServer, Sides } from './processes.ts';

/** Many short rounds: what a neighbour takes from one round, it takes from the next side's round. */
const ROUNDS = 15;
/** Until V8 has compiled what is run: a short warm-up measures the compiler, and ours is the larger program. */
const WARM_UP_REQUESTS = 25_000;
const SECONDS = 1;
const PACED_SECONDS = 2;
const PACED_ROUNDS = 7;
/** Not counted: V8 compiles anew when requests come one by one, on the core that answers them. */
const PACED_WARM_UP_ROUNDS = 3;

/** Goal 1: requests a second and latency, against the baselines. */
export async function throughput(sides: Sides): Promise<Findings> {
  const bare = await sides.bare();
  const fastify = await sides.fastify();
  const ours = await sides.probewright();
  try {
    const rows = [
      ...(await compared('/mutate', podReviews('user'), { bare, fastify, ours }, 0.7)),
      ...(await compared('/validate', workloadReviews(), { bare, ours }, 0.5)),
      ...(await bothInOneCall(bare, ours)),
    ];
    return { title: 'Throughput and latency', how: HOW, rows };
  } finally {
    for (const server of [bare, fastify, ours]) await server.stop();
  }
}

const HOW = [
  `${ROUNDS} rounds of ${SECONDS} s a side, in turns, after ${WARM_UP_REQUESTS.toLocaleString('en')} requests to warm up.`,
  '16 kept-alive TLS connections, reviews of 4.5 to 12 KB, 50 policies in force, log level info to /dev/null.',
  '(a) is a bare `node:https` server that parses the JSON and answers `allowed`.',
  '(b) is a Fastify app that adds three fixed probes.',
  '/mutate adds three probes to every Pod of a user. /validate has every check of the catalogue on.',
  "A controller's Pod costs one call: the answer of /mutate holds the verdict, too.",
  'The core of the load is kept awake. "On core" is the share of the time that the server ran: well below 1, others had its core, or the load could not keep up.',
  'So the goals are for the requests that a side answers in a second that it does run.',
  `Latency: ${PACED_ROUNDS} rounds after ${PACED_WARM_UP_ROUNDS} that do not count, both sides at half of what Probewright answered on the clock, counted from when a request was due. Requests that were due within a tenth of a second of a loss of a core are left out.`,
].join(' ');

/** A Pod that a controller creates: one call of /mutate with the verdict, where two calls were before. */
async function bothInOneCall(bare: MeasuredServer, ours: MeasuredServer): Promise<Row[]> {
  const bodies = podReviews('controller');
  const rates: Record<'bare' | 'ours', number[]> = { bare: [], ours: [] };
  const sides = [
    ['bare', { server: bare, path: '/mutate', bodies }],
    ['ours', { server: ours, path: '/mutate', bodies }],
  ] as const;
  for (const [, target] of sides) await saturate(target, { requests: WARM_UP_REQUESTS });
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, target] of sides) rates[name].push((await saturate(target, { seconds: SECONDS })).perCpuSecond);
  return [
    reading("/mutate of a controller's Pod, with its verdict: Probewright, a second on core", rates.ours, '/s'),
    reading(
      "/mutate of a controller's Pod, with its verdict: Probewright / (a), a second on core",
      ratios(rates.ours, rates.bare),
    ),
  ];
}

interface Servers {
  readonly bare: MeasuredServer;
  readonly fastify?: MeasuredServer;
  readonly ours: MeasuredServer;
}

async function compared(path: string, bodies: Buffer[], servers: Servers, goal: number): Promise<Row[]> {
  const target = (server: MeasuredServer): Target => ({ server, path, bodies });
  const sides = Object.entries(servers) as [keyof Servers, MeasuredServer][];
  const found: Record<keyof Servers, Saturation[]> = { bare: [], fastify: [], ours: [] };
  for (const [, server] of sides) await saturate(target(server), { requests: WARM_UP_REQUESTS });
  for (let round = 0; round < ROUNDS; round++)
    // The order changes from round to round, so a drift of the machine favours no side.
    for (const [name, server] of round % 2 === 0 ? sides : sides.toReversed())
      found[name].push(await saturate(target(server), { seconds: SECONDS }));
  const rates = (name: keyof Servers, of: keyof Saturation): number[] => found[name].map((one) => one[of]);

  const rate = median(rates('ours', 'perSecond')) / 2;
  const p99: Record<'bare' | 'ours', number[]> = { bare: [], ours: [] };
  const p50: Record<'bare' | 'ours', number[]> = { bare: [], ours: [] };
  for (let round = 0; round < PACED_WARM_UP_ROUNDS + PACED_ROUNDS; round++)
    for (const name of ['bare', 'ours'] as const) {
      const { latencies } = await pace(target(servers[name]), rate, PACED_SECONDS);
      if (round < PACED_WARM_UP_ROUNDS) continue;
      p99[name].push(percentile(latencies, 99));
      p50[name].push(percentile(latencies, 50));
    }

  const half = `${path} at ${Math.round(rate)}/s`;
  const against = (name: 'bare' | 'fastify', of: keyof Saturation): number[] =>
    ratios(rates('ours', of), rates(name, of));
  return [
    ...sides.flatMap(([name]) => [
      reading(`${path}: ${NAMES[name]}`, rates(name, 'perSecond'), '/s'),
      reading(`${path}: ${NAMES[name]}, on core`, rates(name, 'busy')),
      reading(`${path}: ${NAMES[name]}, a second on core`, rates(name, 'perCpuSecond'), '/s'),
    ]),
    reading(`${path}: Probewright / (a), on the clock`, against('bare', 'perSecond')),
    judged(`${path}: Probewright / (a), a second on core`, against('bare', 'perCpuSecond'), { atLeast: goal }),
    ...(servers.fastify === undefined
      ? []
      : [judged(`${path}: Probewright / (b), a second on core`, against('fastify', 'perCpuSecond'), { atLeast: 1 })]),
    ...(['bare', 'ours'] as const).flatMap((name) => [
      reading(`${half}: ${NAMES[name]}, p50`, p50[name], ' ms'),
      reading(`${half}: ${NAMES[name]}, p99`, p99[name], ' ms'),
    ]),
    // No goal: at the same rate the sides use different shares of the core. bench/paced.ts compares at the same share.
    reading(`${half}: Probewright / (a), p99`, ratios(p99.ours, p99.bare)),
  ];
}

const NAMES = { bare: '(a)', fastify: '(b)', ours: 'Probewright' };
