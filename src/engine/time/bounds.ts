import { DEFAULT_TIMING } from '../probe/api-defaults.ts';

/** The least start time to guarantee, in seconds: with less, one slow second of a node kills a quick program. */
export const LEAST_START_SECONDS = 10;

/** Seconds to start where nobody gave a number. Too long a time only delays the restart of a dead start. */
export const SAFETY_SECONDS = 300;

/**
 * Advice never makes a liveness probe slower than this: seconds from a deadlock to the dead container. A container that
 * hangs longer is an outage.
 */
export const MOST_KILL_SECONDS = 120;

/** Readiness should stop the traffic within this time: seconds from a fault to NotReady, at worst. */
export const MOST_DRAIN_SECONDS = 60;

/** A shorter wait in place of a startup probe is a note. Nobody changes a delay of 30 s (issue 30). */
export const WARNED_DELAY_SECONDS = 60;

/** Period of our startup probes, in seconds: short, because a started container waits for the next probe. */
export const STARTUP_PERIOD_SECONDS = 5;

/** The same for a command: each probe starts a process while the program starts, too. */
export const COMMAND_STARTUP_PERIOD_SECONDS = 10;

/** Enough time in seconds for a small program on a busy node. */
export const PATIENT_TIMEOUT_SECONDS = 5;

/** The periods that people write, in seconds: advice proposes no 34. The numbers are Probewright's own (issue 30). */
export const PERIODS = [1, 2, 5, 10, 15, 20, 30, 60];

/** The highest failureThreshold that advice proposes. 240 failures at 5 s are a start of 20 minutes. */
export const MOST_FAILURES = { startupProbe: 240, livenessProbe: 10, readinessProbe: 10 } as const;

/** Above this failureThreshold of readiness, its author expects a long start: 3 is the API server's default. */
export const ORDINARY_READINESS_FAILURES = 5;

/** No rollout waits longer for a Pod by default (progressDeadlineSeconds), so more is no expectation of a start. */
export const LONGEST_EXPECTED_SECONDS = 600;

/**
 * The seconds to start that an author's readiness probe expects: D + (F-1)*P with a delay, or with F above 5. Above
 * 600 s, the author only wants readiness to stay, and the delay counts.
 */
export function expectedStartSeconds(readiness: {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}): number {
  const { initialDelaySeconds: D, periodSeconds: P, failureThreshold: F } = readiness;
  // Advice raises fewer failures to the default (single-failure), and that must ask for no longer start.
  const patience = D + (Math.max(F, DEFAULT_TIMING.failureThreshold) - 1) * P;
  const isOfStart = (D > 0 || F > ORDINARY_READINESS_FAILURES) && patience <= LONGEST_EXPECTED_SECONDS;
  return isOfStart ? patience : D;
}

/** The shortest of the periods that is at least `seconds`. Undefined above 60 s. */
export function roundPeriodFrom(seconds: number): number | undefined {
  return PERIODS.find((period) => period >= seconds);
}

/** The longest of the periods that is at most `seconds`. Undefined below 1 s. */
export function roundPeriodUpTo(seconds: number): number | undefined {
  return PERIODS.findLast((period) => period <= seconds);
}

/** A grace period of at most `seconds`: whole minutes, and below a minute one of the periods. Undefined below 1 s. */
export function roundGraceUpTo(seconds: number): number | undefined {
  return seconds < 60 ? roundPeriodUpTo(seconds) : Math.floor(seconds / 60) * 60;
}
