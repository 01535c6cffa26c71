import { judged, percentile, reading, type Findings } from './figures.ts';
import { pace, saturate, type Paced, type Target } from './load.ts';
import { podReviews, workloadReviews } from './reviews.ts';
import type { MeasuredServer, Sides } from './processes.ts';

const PER_SECOND = 300;
/** Twenty rounds of half a minute for Probewright, ten minutes in all. (b) has a tenth of that, in turns. */
const ROUNDS = 20;
const SECONDS = 30;
const BASELINE_SECONDS = 3;
const MIB = 1024 * 1024;
/** The memory limit of the chart, in MiB. */
const MEMORY_LIMIT = 384;

/** Goal: ten minutes of what the busiest clusters send, with flat memory and no late answer. */
export async function soak(sides: Sides): Promise<Findings> {
  const [fastify, ours] = [await sides.fastify(), await sides.probewright()];
  try {
    const bodies = { '/mutate': podReviews('user'), '/validate': workloadReviews() };
    const target = (server: MeasuredServer, path: keyof typeof bodies): Target => ({
      server,
      path,
      bodies: bodies[path],
    });
    for (const path of ['/mutate', '/validate'] as const)
      for (const server of [fastify, ours]) await saturate(target(server, path), { requests: 5000 });
    const found: Record<'fastify' | 'ours', Paced[]> = { fastify: [], ours: [] };
    const memory: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const path = round % 2 === 0 ? '/mutate' : '/validate';
      found.ours.push(await pace(target(ours, path), PER_SECOND, SECONDS));
      memory.push(ours.rss() / MIB);
      found.fastify.push(await pace(target(fastify, path), PER_SECOND, BASELINE_SECONDS));
    }
    const p99 = (side: keyof typeof found): number =>
      percentile(Float64Array.from(found[side].flatMap(({ latencies }) => [...latencies])).sort(), 99);
    const half = ROUNDS / 2;
    return {
      title: 'Ten minutes',
      how: `${PER_SECOND} reviews a second for ${(ROUNDS * SECONDS) / 60} minutes, /mutate and /validate in turns, with the heap options of the chart. (b) has ${BASELINE_SECONDS} s after each ${SECONDS} s. A review that is not answered with 200 ends the run. Memory is resident, after each round.`,
      rows: [
        reading('300/s: (b), p99', [p99('fastify')], ' ms'),
        judged('300/s: Probewright, p99', [p99('ours')], { atMost: 10 }, ' ms'),
        judged('300/s: memory, the most', [Math.max(...memory)], { atMost: MEMORY_LIMIT }, ' MiB'),
        judged(
          '300/s: memory, the most of the second half / of the first half',
          [Math.max(...memory.slice(half)) / Math.max(...memory.slice(0, half))],
          { atMost: 1.1 },
        ),
      ],
    };
  } finally {
    for (const server of [fastify, ours]) await server.stop();
  }
}
