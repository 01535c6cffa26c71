import { setTimeout as sleep } from 'node:timers/promises';
import { failureThresholdFor, guaranteedStartSeconds } from '../../engine/probe/timing.ts';
import { isSuccess, NotRun, type Answer } from './answer.ts';
import type { PlannedProbe } from './planned-probes.ts';

/** The answers of one probe, with what they took. */
export interface Measured {
  /** The first answer that is no plain success; the last one when all are. */
  readonly answer: Answer;
  readonly asked: number;
  readonly failed: number;
  readonly milliseconds: { readonly median: number; readonly longest: number };
}

/** Asks one probe. Rejects with NotRun where it cannot be asked. */
type Ask = (probe: PlannedProbe) => Promise<Answer>;

/** A probe that fails so often in a row is not run again. */
const ENOUGH_FAILURES = 2;

/** Runs a probe several times, one after the other. Rejects with NotRun. */
export async function measure(probe: PlannedProbe, times: number, ask: Ask): Promise<Measured> {
  const answers: Answer[] = [];
  const took: number[] = [];
  let inARow = 0;
  while (answers.length < times && inARow < ENOUGH_FAILURES) {
    const answer = await ask(probe);
    took.push(tenths(answer.milliseconds ?? 0));
    answers.push(answer);
    inARow = isSuccess(answer) ? 0 : inARow + 1;
  }
  took.sort((a, b) => a - b);
  const worst = answers.find((one) => !isSuccess(one)) ?? answers.find(({ result }) => result === 'warning');
  return {
    answer: worst ?? (answers.at(-1) as Answer),
    asked: answers.length,
    failed: answers.filter((one) => !isSuccess(one)).length,
    milliseconds: { median: took[Math.floor(took.length / 2)] ?? 0, longest: took.at(-1) ?? 0 },
  };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** How long a container took until all of its probes passed. */
export interface Start {
  readonly container: string;
  readonly seconds: number;
  /** What the startup probe, or else the liveness probe, guarantees. Undefined when neither is there. */
  readonly guaranteedSeconds: number | undefined;
  /** The failureThreshold of that probe that fits. */
  readonly failureThreshold: number | undefined;
}

/**
 * Runs each probe at its own period until it passes, or until the time is over. A container with a probe that never
 * passed has no start.
 *
 * @param since the start of the container, on the clock of `now`, in milliseconds
 */
export async function waitForStart(
  probes: readonly PlannedProbe[],
  ask: Ask,
  now: () => number,
  since: number,
  mostMilliseconds: number,
): Promise<readonly Start[]> {
  const end = now() + mostMilliseconds;
  const passes = await Promise.all(probes.map((probe) => passedAt(probe, ask, now, end)));
  const asked = probes.flatMap((probe, index) => {
    const at = passes[index];
    return at === undefined ? [] : [{ probe, at }];
  });
  return [...Map.groupBy(asked, ({ probe }) => probe.container)].flatMap(([container, own]) => {
    const last = Math.max(...own.map(({ at }) => at));
    if (last === Infinity) return [];
    return [
      startOf(
        container,
        Math.max(0, last - since) / 1000,
        own.map(({ probe }) => probe),
      ),
    ];
  });
}

/** When a probe first passed; Infinity for never, undefined for a probe that cannot be asked. */
async function passedAt(probe: PlannedProbe, ask: Ask, now: () => number, end: number): Promise<number | undefined> {
  try {
    for (;;) {
      const begin = now();
      if (isSuccess(await ask(probe))) return now();
      const next = Math.max(begin + probe.timing.periodSeconds * 1000, now());
      if (next >= end) return Infinity;
      await sleep(next - now());
    }
  } catch (error) {
    if (error instanceof NotRun) return undefined;
    throw error;
  }
}

function startOf(container: string, seconds: number, probes: readonly PlannedProbe[]): Start {
  const gate =
    probes.find(({ probe }) => probe === 'startupProbe') ?? probes.find(({ probe }) => probe === 'livenessProbe');
  const timing = gate?.timing;
  return {
    container,
    seconds: tenths(seconds),
    guaranteedSeconds: timing && guaranteedStartSeconds(timing),
    failureThreshold:
      timing && failureThresholdFor(Math.ceil(seconds), timing.initialDelaySeconds, timing.periodSeconds),
  };
}
