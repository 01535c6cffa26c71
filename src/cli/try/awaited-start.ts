import { setTimeout as sleep } from 'node:timers/promises';
import { failureThresholdFor, guaranteedStartSeconds } from '../../engine/time/timing.ts';
import { isSuccess, NotRun } from './answer.ts';
import { askProbe, type Asking } from './ask.ts';
import type { TryOutput } from '../output/json-outputs.ts';
import type { ProbeToTry } from './planned-probes.ts';

/** How long a container took until all of its probes passed. */
export type Start = NonNullable<TryOutput['starts']>[number];

/**
 * Runs each probe at its own period until it passes, or until the time is over. A container with a probe that never
 * passed has no start. A container of which no probe was seen failing was up before: nobody knows how long it took.
 *
 * @param now milliseconds since the epoch
 */
export async function waitForStart(
  probes: readonly ProbeToTry[],
  asking: Asking,
  now: () => number,
  mostMilliseconds: number,
): Promise<readonly Start[]> {
  const begin = now();
  const byContainer = [...Map.groupBy(probes, ({ container }) => container.name)];
  const starts = byContainer.map(async ([container, own]): Promise<Start | undefined> => {
    const { isReady } = await runOf(container, asking);
    const results = await Promise.all(own.map((probe) => passedAt(probe, asking, now, begin + mostMilliseconds)));
    const asked = own.filter((_, index) => results[index] !== undefined);
    const times = results.filter((result) => result !== undefined);
    if (times.length === 0 || times.some(({ at }) => at === Infinity)) return undefined;
    if (isReady === true || !times.some(({ hasFailed }) => hasFailed)) return { container, seconds: null };
    // The container may have been restarted meanwhile.
    const { startedAt = begin } = await runOf(container, asking);
    const last = Math.max(...times.map(({ at }) => at));
    return startOf(container, Math.max(0, last - startedAt) / 1000, asked);
  });
  return (await Promise.all(starts)).filter((start) => start !== undefined);
}

/** Nothing is known of a container that cannot be looked at: its probes tell enough. */
async function runOf(container: string, { target }: Asking) {
  return (await target.runOf?.(container).catch(() => undefined)) ?? {};
}

/** When a probe first passed, and whether it failed before. Infinity for never, undefined where it cannot be asked. */
async function passedAt(probe: ProbeToTry, asking: Asking, now: () => number, end: number) {
  for (let hasFailed = false; ; hasFailed = true) {
    const begin = now();
    const answer = await askProbe(probe, asking);
    if (answer instanceof NotRun) return undefined;
    if (isSuccess(answer)) return { at: now(), hasFailed };
    const next = Math.max(begin + probe.timing.periodSeconds * 1000, now());
    if (next >= end) return { at: Infinity, hasFailed };
    await sleep(next - now());
  }
}

function startOf(container: string, seconds: number, probes: readonly ProbeToTry[]): Start {
  const of = (kind: ProbeToTry['probe']) => probes.find(({ probe }) => probe === kind);
  const { probe, timing } = of('startupProbe') ?? of('livenessProbe') ?? {};
  return {
    container,
    seconds: Math.round(seconds * 10) / 10,
    ...(probe !== undefined && { guaranteedBy: probe }),
    guaranteedSeconds: timing && guaranteedStartSeconds(timing),
    failureThreshold:
      timing && failureThresholdFor(Math.ceil(seconds), timing.initialDelaySeconds, timing.periodSeconds),
  };
}
