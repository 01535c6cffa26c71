import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeApiServer } from '../test/cluster/client/fake-api-server.ts';
import { judged, ratios, reading, type Findings, type Row } from './figures.ts';
import { pace, saturate } from './load.ts';
import { reviewsOfPaths } from './reviews.ts';
import type { MeasuredServer, Sides } from './processes.ts';

/** Clusters create some Pods a second. */
const PER_SECOND = 20;
const CALLS_BEFORE = 200;
const CALLS = 300;
/** Until V8 has compiled what calls run: an hour of a quiet cluster has ten times as many. */
const COMPILED_CALLS = 7_000;
const ROUNDS = 2;
/** After the start, before the rest is measured. */
const SETTLE_SECONDS = 5;
const REST_SECONDS = 15;
/** As a real API server sends bookmarks to each watch. */
const BOOKMARK_MILLISECONDS = 60_000;

/** Goals: a multiple of the processor time of (b), and milliseconds of processor time a second at rest. */
const GOALS = { cost: 2.2, rest: 2 } as const;

/** What users have: a call now and then, in a process whose code is hardly compiled, and rest between. */
export async function quiet(sides: Sides): Promise<Findings> {
  const calls: Row[] = [];
  for (const [path, bodies] of reviewsOfPaths()) {
    calls.push(...(await callsTo(path, bodies, sides, `at ${PER_SECOND}/s`, 0, { atMost: GOALS.cost })));
    calls.push(...(await callsTo(path, bodies, sides, `after ${COMPILED_CALLS} calls`, COMPILED_CALLS)));
  }
  return { title: 'A quiet cluster', how: HOW, rows: [...calls, ...(await rests(sides))] };
}

const HOW = [
  `${PER_SECOND} calls a second over kept-alive connections: ${CALLS_BEFORE} that do not count, then ${CALLS}. ${ROUNDS} rounds a side, in turns, each with a new process.`,
  `"After ${COMPILED_CALLS} calls": the same after so many calls as fast as answers come, as in a process that has run for a while.`,
  'Processor time: of the whole process, all threads, user and system, without the TLS handshakes. It also has what the process does between the calls.',
  `At rest: ${REST_SECONDS} s without a call, ${SETTLE_SECONDS} s after the start; in a cluster, against an API server in memory.`,
].join(' ');

async function callsTo(
  path: string,
  bodies: readonly Buffer[],
  sides: Sides,
  when: string,
  requests: number,
  goal?: Parameters<typeof judged>[2],
): Promise<Row[]> {
  const milliseconds = { fastify: [] as number[], ours: [] as number[] };
  const round = async (server: MeasuredServer): Promise<number> => {
    const target = { server, path, bodies };
    try {
      if (requests > 0) await saturate(target, { requests });
      await pace(target, PER_SECOND, CALLS_BEFORE / PER_SECOND);
      return (await pace(target, PER_SECOND, CALLS / PER_SECOND)).secondsEach * 1000;
    } finally {
      await server.stop();
    }
  };
  for (let index = 0; index < ROUNDS; index++) {
    milliseconds.fastify.push(await round(await sides.fastify()));
    milliseconds.ours.push(await round(await sides.probewright()));
  }
  const at = `${path} ${when}`;
  const times = ratios(milliseconds.ours, milliseconds.fastify);
  const what = `${at}: Probewright / (b), processor time`;
  return [
    reading(`${at}: (b), processor time each`, milliseconds.fastify, ' ms'),
    reading(`${at}: Probewright, processor time each`, milliseconds.ours, ' ms'),
    goal === undefined ? reading(what, times) : judged(what, times, goal),
  ];
}

async function rests(sides: Sides): Promise<Row[]> {
  const api = await startFakeApiServer(BOOKMARK_MILLISECONDS);
  const rest = async (starting: Promise<MeasuredServer>): Promise<number[]> => {
    const server = await starting;
    try {
      await sleep(SETTLE_SECONDS * 1000);
      const before = server.cpuSeconds();
      await sleep(REST_SECONDS * 1000);
      return [((server.cpuSeconds() - before) * 1000) / REST_SECONDS];
    } finally {
      await server.stop();
    }
  };
  const goal = { atMost: GOALS.rest };
  const rows = [
    reading('rest: (b), processor time a second', await rest(sides.fastify()), ' ms'),
    judged('rest: Probewright with files, processor time a second', await rest(sides.probewright()), goal, ' ms'),
    judged(
      'rest: Probewright in a cluster, processor time a second',
      await rest(sides.probewrightInCluster(api.access.server)),
      goal,
      ' ms',
    ),
  ];
  await api.stop();
  return rows;
}
