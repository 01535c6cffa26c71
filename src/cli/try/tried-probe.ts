import { count } from '../../base/text/cut.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureThresholdFor, guaranteedStartSeconds } from '../../engine/probe/timing.ts';
import { isSuccess, NotRun, eventMessage, SUCCESS, type Answer } from './answer.ts';
import { askProbe, type Asking } from './ask.ts';
import { probeField, type PlannedProbe } from './planned-probes.ts';
import { remedyFor, type Diagnosis } from './diagnosis.ts';
import { lookFurther } from './look-further.ts';
import { handlerText } from '../../engine/probe/handler-text.ts';
import type { TriedProbe, TryOutput, TryResult } from '../output/json-outputs.ts';

/** A probe that fails so often in a row is not run again. */
const ENOUGH_FAILURES = 2;
const NO_ANSWER = { event: '', code: null, milliseconds: null, cause: null, edits: [] };

/** Runs a probe several times, one after the other, and looks why it fails. */
export async function tryProbe(planned: PlannedProbe, times: number, asking: Asking): Promise<TriedProbe> {
  const { file, line, column, kind, namespace, name, container, probe, injectedBy } = planned;
  const { timeoutSeconds } = planned.timing;
  const handler = handlerText({ [planned.handlerKind]: planned.handler });
  const place = { file, line, column, kind, namespace, name, container, probe, handler };
  const answers: Answer[] = [];
  let inARow = 0;
  while (answers.length < times && inARow < ENOUGH_FAILURES) {
    const answer = await askProbe(planned, asking);
    if (answer instanceof NotRun)
      return { ...place, result: 'not run', timeoutSeconds, ...NO_ANSWER, remedy: answer.message };
    answers.push(answer);
    inARow = isSuccess(answer) ? 0 : inARow + 1;
  }
  const took = answers.map(({ milliseconds = 0 }) => tenths(milliseconds)).sort((a, b) => a - b);
  const milliseconds = { median: took[Math.floor(took.length / 2)] ?? 0, longest: took.at(-1) ?? 0 };
  const failed = answers.filter((one) => !isSuccess(one));
  // The first answer that is no plain success; the last one when all are.
  const warnings = answers.filter(({ result }) => result === 'warning');
  const [answer = SUCCESS] = [...failed, ...warnings, ...answers.toReversed()];
  const diagnosis = (await lookFurther(planned, answer, asking)) ?? slowness(planned, milliseconds.longest);
  const isSometimes = failed.length > 0 && failed.length < answers.length;
  const often = isSometimes ? `It failed ${count(failed.length, 'time')} of ${answers.length}. ` : '';
  const isOfPolicy = injectedBy !== undefined && injectedBy !== 'safety';
  const source = isOfPolicy ? ` ${injectedBy} gives the probe: change it there.` : '';
  return {
    ...place,
    result: failed.length > 0 ? 'fails' : diagnosis === undefined ? 'passes' : 'warns',
    event: eventMessage(probe, answer),
    code: answer.code ?? null,
    milliseconds,
    timeoutSeconds,
    cause: diagnosis?.cause ?? null,
    remedy: diagnosis === undefined ? '' : `${often}${diagnosis.remedy}${source}`,
    edits: injectedBy === undefined ? (diagnosis?.edits ?? []) : [],
  };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** How long a container took until all of its probes passed. */
export type Start = NonNullable<TryOutput['starts']>[number];

/**
 * Runs each probe at its own period until it passes, or until the time is over. A container with a probe that never
 * passed has no start.
 *
 * @param since the start of the container, on the clock of `now`, in milliseconds
 */
export async function waitForStart(
  probes: readonly PlannedProbe[],
  asking: Asking,
  now: () => number,
  since: number,
  mostMilliseconds: number,
): Promise<readonly Start[]> {
  const end = now() + mostMilliseconds;
  const times = new Map(
    await Promise.all(probes.map(async (probe) => [probe, await passedAt(probe, asking, now, end)] as const)),
  );
  const asked = probes.filter((probe) => times.get(probe) !== undefined);
  return [...Map.groupBy(asked, ({ container }) => container)].flatMap(([container, own]) => {
    const last = Math.max(...own.map((probe) => times.get(probe) ?? Infinity));
    return last === Infinity ? [] : [startOf(container, Math.max(0, last - since) / 1000, own)];
  });
}

/** When a probe first passed; Infinity for never, undefined for a probe that cannot be asked. */
async function passedAt(
  probe: PlannedProbe,
  asking: Asking,
  now: () => number,
  end: number,
): Promise<number | undefined> {
  for (;;) {
    const begin = now();
    const answer = await askProbe(probe, asking);
    if (answer instanceof NotRun) return undefined;
    if (isSuccess(answer)) return now();
    const next = Math.max(begin + probe.timing.periodSeconds * 1000, now());
    if (next >= end) return Infinity;
    await sleep(next - now());
  }
}

function startOf(container: string, seconds: number, probes: readonly PlannedProbe[]): Start {
  const of = (kind: PlannedProbe['probe']) => probes.find(({ probe }) => probe === kind)?.timing;
  const timing = of('startupProbe') ?? of('livenessProbe');
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

/** Undefined for answers that come in time. */
function slowness(planned: PlannedProbe, longest: number): Diagnosis | undefined {
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
