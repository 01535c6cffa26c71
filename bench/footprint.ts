import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeApiServer } from '../test/cluster/client/fake-api-server.ts';
import { judged, ratios, reading, type Findings } from './figures.ts';
import { pace, saturate } from './load.ts';
import { podReviews, workloadReviews } from './reviews.ts';
import type { MeasuredServer, Sides } from './processes.ts';

const IDLE_ROUNDS = 3;
const IDLE_MILLISECONDS = 4000;
const STARTS = 7;
const MIB = 1024 * 1024;
/** As many as stand in the cluster that the idle replica mirrors. */
const NAMESPACES = 20;

/** Goal 3: resident memory, and the time to listen. */
export async function footprint(sides: Sides, requests: number): Promise<Findings> {
  const idle = await idleMemory(sides);
  const grown = await growth(sides, requests);
  const started = await starts(sides);
  const millions = (count: number): string => count.toLocaleString('en');
  return {
    title: 'Memory and start',
    how: `The production bundle. Idle: resident memory ${IDLE_MILLISECONDS / 1000} s after it listens, in cluster mode with its own certificates against an API server in memory, in turns with (a). Growth: file mode, /mutate and /validate in turns as fast as they are answered. Start: from the start of the process until it takes a connection, file mode, 50 policies. The first review: a /mutate over a connection that is open, as soon as it listens.`,
    rows: [
      reading('idle: (a)', idle.bare, ' MiB'),
      reading('idle: Probewright in cluster mode', idle.ours, ' MiB'),
      judged('idle: Probewright / (a)', ratios(idle.ours, idle.bare), { atMost: 1.6 }),
      reading(`after ${millions(requests / 10)} requests`, [grown.early], ' MiB'),
      reading(`after ${millions(requests)} requests`, [grown.late], ' MiB'),
      judged(`after ${millions(requests)} / after ${millions(requests / 10)}`, [grown.late / grown.early], {
        atMost: 1.1,
      }),
      reading('listening: (a)', started.bare, ' ms'),
      judged('listening: Probewright', started.ours, { atMost: 350 }, ' ms'),
      reading('listening: Probewright, processor time', started.cpu, ' ms'),
      reading('the first review after the start: (a)', started.first.bare, ' ms'),
      judged('the first review after the start: Probewright', started.first.ours, { atMost: 10 }, ' ms'),
    ],
  };
}

interface Compared {
  readonly bare: number[];
  readonly ours: number[];
}

async function idleMemory(sides: Sides): Promise<Compared> {
  const api = await startFakeApiServer();
  for (let index = 0; index < NAMESPACES; index++)
    api.put('/api/v1/namespaces', { metadata: { name: `team-${index}`, labels: { team: `${index}` } } });
  const idle = async (server: MeasuredServer): Promise<number> => {
    await sleep(IDLE_MILLISECONDS);
    const rss = server.rss();
    await server.stop();
    return rss / MIB;
  };
  const found: Compared = { bare: [], ours: [] };
  for (let round = 0; round < IDLE_ROUNDS; round++) {
    found.bare.push(await idle(await sides.bare()));
    found.ours.push(await idle(await sides.probewrightInCluster(api.access.server)));
  }
  await api.stop();
  return found;
}

async function growth(sides: Sides, requests: number): Promise<{ early: number; late: number }> {
  const server = await sides.probewright();
  const both = [
    { server, path: '/mutate', bodies: podReviews('user') },
    { server, path: '/validate', bodies: workloadReviews() },
  ];
  const tenths: number[] = [];
  for (let tenth = 0; tenth < 10; tenth++) {
    for (const target of both) await saturate(target, { requests: requests / 20 });
    tenths.push(server.rss() / MIB);
  }
  await server.stop();
  return { early: tenths[0] ?? NaN, late: tenths.at(-1) ?? NaN };
}

async function starts(sides: Sides): Promise<Compared & { cpu: number[]; first: Compared }> {
  const found = { bare: [] as number[], ours: [] as number[], cpu: [] as number[] };
  const first: Compared = { bare: [], ours: [] };
  const bodies = podReviews('user').slice(0, 1);
  const firstReview = async (server: MeasuredServer): Promise<number> =>
    (await pace({ server, path: '/mutate', bodies }, 1, 1)).latencies[0] ?? NaN;
  for (let round = 0; round < STARTS; round++) {
    const bare = await sides.bare();
    found.bare.push(bare.listeningAfter);
    first.bare.push(await firstReview(bare));
    await bare.stop();
    const ours = await sides.probewright();
    found.ours.push(ours.listeningAfter);
    found.cpu.push(ours.cpuSeconds() * 1000);
    first.ours.push(await firstReview(ours));
    await ours.stop();
  }
  return { ...found, first };
}
