import { setTimeout as sleep } from 'node:timers/promises';
import { failureThresholdFor, guaranteedStartSeconds } from '../../engine/probe/timing.ts';
import { isSuccess, NotRun, eventMessage, type Answer } from './answer.ts';
import { probeField, type PlannedProbe } from './planned-probes.ts';
import { handlerText } from '../../engine/probe/probe.ts';
import { causeOfAnswer, remedyFor, type Diagnosis } from './diagnosis.ts';
import type { TriedProbe, TryOutput, TryResult } from '../output/json-outputs.ts';

interface Measured {
  /** The first answer that is no plain success; the last one when all are. */
  readonly answer: Answer;
  readonly asked: number;
  readonly failed: number;
  readonly milliseconds: { readonly median: number; readonly longest: number };
}

type Ask = (probe: PlannedProbe) => Promise<Answer | NotRun>;

/** A probe that fails so often in a row is not run again. */
const ENOUGH_FAILURES = 2;

/** Runs a probe several times, one after the other. */
export async function measure(probe: PlannedProbe, times: number, ask: Ask): Promise<Measured | NotRun> {
  const answers: Answer[] = [];
  const took: number[] = [];
  let inARow = 0;
  while (answers.length < times && inARow < ENOUGH_FAILURES) {
    const answer = await ask(probe);
    if (answer instanceof NotRun) return answer;
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
    const ofContainer = own.map(({ probe }) => probe);
    return last === Infinity ? [] : [startOf(container, Math.max(0, last - since) / 1000, ofContainer)];
  });
}

/** When a probe first passed; Infinity for never, undefined for a probe that cannot be asked. */
async function passedAt(probe: PlannedProbe, ask: Ask, now: () => number, end: number): Promise<number | undefined> {
  for (;;) {
    const begin = now();
    const answer = await ask(probe);
    if (answer instanceof NotRun) return undefined;
    if (isSuccess(answer)) return now();
    const next = Math.max(begin + probe.timing.periodSeconds * 1000, now());
    if (next >= end) return Infinity;
    await sleep(next - now());
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

/** An answer that takes longer than this part of timeoutSeconds is a warning: a busy node makes it late. */
const SLOW_PART = 0.5;

/** Puts what was asked and found into one result. */
export function triedProbe(planned: PlannedProbe, measured: Measured | NotRun, found?: Diagnosis): TriedProbe {
  const { file, line, column, kind, namespace, name, container, probe, timing } = planned;
  const place = { file, line, column, kind, namespace, name, container, probe };
  const { timeoutSeconds } = timing;
  const handler = handlerText({ [planned.handlerKind]: planned.handler });
  if (measured instanceof NotRun) {
    const nothing = { event: '', code: null, milliseconds: null, cause: null, edits: [] };
    return { ...place, handler, result: 'not run', timeoutSeconds, ...nothing, remedy: measured.message };
  }
  const { answer, milliseconds, asked, failed } = measured;
  const diagnosis = found ?? ownDiagnosis(planned, measured);
  const result = !isSuccess(answer) ? 'fails' : diagnosis === undefined ? 'passes' : 'warns';
  const often = failed > 0 && failed < asked ? `It failed ${failed} times of ${asked}. ` : '';
  const { injectedBy } = planned;
  const isOfPolicy = injectedBy !== undefined && injectedBy !== 'safety';
  const source = isOfPolicy ? ` ${injectedBy} gives the probe: change it there.` : '';
  return {
    ...place,
    handler,
    result,
    event: eventMessage(probe, answer),
    code: answer.code ?? null,
    milliseconds,
    timeoutSeconds,
    cause: diagnosis?.cause ?? null,
    remedy: diagnosis === undefined ? '' : `${often}${diagnosis.remedy}${source}`,
    edits: injectedBy === undefined ? (diagnosis?.edits ?? []) : [],
  };
}

/** What the answers alone tell. Undefined for answers that are right, and come in time. */
function ownDiagnosis(planned: PlannedProbe, { answer, milliseconds: { longest } }: Measured): Diagnosis | undefined {
  const cause = causeOfAnswer(answer, planned.handlerKind);
  if (cause !== undefined) return { cause, remedy: remedyFor(cause), edits: [] };
  const { timeoutSeconds } = planned.timing;
  if (longest <= timeoutSeconds * 1000 * SLOW_PART) return undefined;
  const late = `The longest answer took ${longest} ms of timeoutSeconds: ${timeoutSeconds}. `;
  // The longest answer then takes no more than half of the time.
  const edits = [{ path: probeField(planned, 'timeoutSeconds'), value: Math.ceil((longest / 1000) * 2) }];
  return { cause: 'slow', remedy: `${late}${remedyFor('slow')}`, edits };
}

/** Counts the results. */
export function summaryOf(probes: readonly TriedProbe[]): TryOutput['summary'] {
  const number = (wanted: TryResult): number => probes.filter(({ result }) => result === wanted).length;
  return { passes: number('passes'), fails: number('fails'), warns: number('warns'), notRun: number('not run') };
}
