import { handlerText } from '../../engine/workload/handler-text.ts';
import { eventMessage, isSuccess, NotRun } from './answer.ts';
import { causeOfAnswer, remedyFor, type TryCause } from './cause.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Measured } from './measure.ts';
import { probeField, type PlannedProbe } from './planned-probes.ts';
import type { TriedProbe, TryOutput, TryResult } from '../output/json-outputs.ts';

/** An answer that takes longer than this part of timeoutSeconds is a warning: a busy node makes it late. */
const SLOW_PART = 0.5;

/** Puts what was asked and found into one result. */
export function triedProbe(
  planned: PlannedProbe,
  measured: Measured | NotRun,
  diagnosis: Diagnosis | undefined,
): TriedProbe {
  const { file, line, column, kind, namespace, name, container, probe, timing } = planned;
  const place = { file, line, column, kind, namespace, name, container, probe };
  const { timeoutSeconds } = timing;
  const handler = handlerText({ [planned.handlerKind]: planned.handler });
  if (measured instanceof NotRun) {
    const nothing = { event: '', code: null, milliseconds: null, cause: null, edits: [] };
    return { ...place, handler, result: 'not run', timeoutSeconds, ...nothing, remedy: measured.message };
  }
  const { answer, milliseconds } = measured;
  const isSlow = milliseconds.longest > timeoutSeconds * 1000 * SLOW_PART;
  const cause = diagnosis?.cause ?? causeOfAnswer(answer, planned.handlerKind) ?? (isSlow ? 'slow' : undefined);
  const result = !isSuccess(answer) ? 'fails' : cause === undefined ? 'passes' : 'warns';
  return {
    ...place,
    handler,
    result,
    event: eventMessage(probe, answer),
    code: answer.code ?? null,
    milliseconds,
    timeoutSeconds,
    cause: cause ?? null,
    remedy: cause === undefined ? '' : remedyOf(planned, measured, cause, diagnosis),
    edits: planned.injectedBy === undefined ? (diagnosis?.edits ?? editsOf(planned, measured, cause)) : [],
  };
}

/** Twice the longest answer, which is then no more than half of the time. */
function enoughSeconds({ milliseconds }: Measured): number {
  return Math.ceil((milliseconds.longest / 1000) * 2);
}

function editsOf(planned: PlannedProbe, measured: Measured, cause: TryCause | undefined): TriedProbe['edits'] {
  if (cause !== 'slow') return [];
  return [{ path: probeField(planned, 'timeoutSeconds'), value: enoughSeconds(measured) }];
}

function remedyOf(
  { injectedBy, timing }: PlannedProbe,
  { asked, failed, milliseconds }: Measured,
  cause: TryCause,
  diagnosis: Diagnosis | undefined,
): string {
  const often = failed > 0 && failed < asked ? `It failed ${failed} times of ${asked}. ` : '';
  const late =
    cause === 'slow' && diagnosis === undefined
      ? `The longest answer took ${milliseconds.longest} ms of timeoutSeconds: ${timing.timeoutSeconds}. `
      : '';
  const source =
    injectedBy === undefined || injectedBy === 'safety' ? '' : ` ${injectedBy} gives the probe: change it there.`;
  return `${often}${late}${diagnosis?.remedy ?? remedyFor(cause)}${source}`;
}

/** Counts the results. */
export function summaryOf(probes: readonly TriedProbe[]): TryOutput['summary'] {
  const number = (wanted: TryResult): number => probes.filter(({ result }) => result === wanted).length;
  return { passes: number('passes'), fails: number('fails'), warns: number('warns'), notRun: number('not run') };
}
