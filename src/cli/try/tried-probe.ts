import { handlerText } from '../../engine/workload/handler-text.ts';
import { eventMessage, isSuccess, type NotRun } from './answer.ts';
import { causeOfAnswer, causeTexts, type TryCause } from './cause.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Measured } from './measure.ts';
import type { PlannedProbe } from './planned-probes.ts';
import type { AdvisedEdit, FilePlace, ProbeName } from '../output/json-outputs.ts';

/** The result of a probe, from good to bad. */
export type TryResult = 'passes' | 'warns' | 'fails' | 'not run';

/** One probe with its result, as `--output json` prints it. */
export interface TriedProbe extends FilePlace {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly probe: ProbeName;
  /** `httpGet /healthz on port http` */
  readonly handler: string;
  readonly result: TryResult;
  /** The message of the kubelet's event; empty for a plain success. */
  readonly event: string;
  /** The HTTP status, or the exit code of a command. */
  readonly code: number | null;
  readonly milliseconds: { readonly median: number; readonly longest: number } | null;
  readonly timeoutSeconds: number;
  readonly cause: TryCause | null;
  /** What to write; for a probe that is not run, why. */
  readonly remedy: string;
  readonly edits: readonly AdvisedEdit[];
}

/** The numbers of probes by result. */
export interface TrySummary {
  readonly passes: number;
  readonly fails: number;
  readonly warns: number;
  readonly notRun: number;
}

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
  if ('notRun' in measured) {
    const nothing = { event: '', code: null, milliseconds: null, cause: null, edits: [] };
    return { ...place, handler, result: 'not run', timeoutSeconds, ...nothing, remedy: measured.notRun };
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
    edits: planned.injectedBy === undefined ? (diagnosis?.edits ?? []) : [],
  };
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
  return `${often}${late}${diagnosis?.remedy ?? causeTexts(cause).remedy}${source}`;
}

/** Counts the results. */
export function summaryOf(probes: readonly TriedProbe[]): TrySummary {
  const number = (wanted: TryResult): number => probes.filter(({ result }) => result === wanted).length;
  return { passes: number('passes'), fails: number('fails'), warns: number('warns'), notRun: number('not run') };
}
