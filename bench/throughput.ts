import { judged, ratios, reading, type Findings, type Row } from './figures.ts';
import { saturate, type Saturation, type Target } from './load.ts';
import { podReviews, workloadReviews } from './reviews.ts';
import type { MeasuredServer, Sides } from './processes.ts';

/** Many short rounds: what a neighbour takes from one round, it takes from the next side's round. */
const ROUNDS = 15;
/** Until V8 has compiled what is run: a short warm-up measures the compiler, and ours is the larger program. */
const WARM_UP_REQUESTS = 25_000;
const SECONDS = 1;

/** Goal: requests a second, against the baselines. */
export async function throughput(sides: Sides): Promise<Findings> {
  const bare = await sides.bare();
  const fastify = await sides.fastify();
  const ours = await sides.probewright();
  try {
    const rows = [
      ...(await compared('/mutate', podReviews('user'), { bare, fastify, ours }, 0.7)),
      ...(await compared('/validate', workloadReviews(), { bare, fastify, ours }, 0.5)),
      ...(await bothInOneCall(bare, ours)),
    ];
    return { title: 'Throughput', how: HOW, rows };
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
  readonly fastify: MeasuredServer;
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
    reading(`${path}: Probewright / (b), a second on core`, against('fastify', 'perCpuSecond')),
  ];
}

const NAMES = { bare: '(a)', fastify: '(b)', ours: 'Probewright' };
