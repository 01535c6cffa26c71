import { count } from '../../base/text/cut.ts';
import { isSuccess, NotRun, eventMessage, SUCCESS, type Answer } from './answer.ts';
import { askProbe, type Asking } from './ask.ts';
import { besidePass } from './beside-pass.ts';
import { probeField, type ProbeToTry } from './planned-probes.ts';
import { remedyFor, type Diagnosis } from './diagnosis.ts';
import { lookFurther } from './look-further.ts';
import { variableReferences } from '../../engine/workload/variables.ts';
import { handlerText } from '../../engine/probe/handler-text.ts';
import type { TriedProbe, TryOutput, TryResult } from '../output/json-outputs.ts';

/** A probe that fails so often in a row is not run again. */
const ENOUGH_FAILURES = 2;
const NO_ANSWER = { event: '', code: null, milliseconds: null, notes: [], cause: null, edits: [] };

/**
 * Runs a probe several times, one after the other, and looks why it fails, or what stands beside its success.
 *
 * @param others the probes of the same container that are not tried
 */
export async function tryProbe(
  planned: ProbeToTry,
  times: number,
  asking: Asking,
  others: readonly ProbeToTry[] = [],
): Promise<TriedProbe> {
  const { file, line, column, kind, namespace, name, probe, injectedBy } = planned;
  const { timeoutSeconds } = planned.timing;
  const handler = handlerText({ [planned.handler.kind]: planned.handler.spec });
  const place = { file, line, column, kind, namespace, name, container: planned.container.name, probe, handler };
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
  const diagnosis = await lookFurther(planned, answer, asking, slowness(planned, milliseconds.longest));
  const isSometimes = failed.length > 0 && failed.length < answers.length;
  const often = isSometimes ? `It failed ${count(failed.length, 'time')} of ${answers.length}. ` : '';
  const isOfPolicy = injectedBy !== undefined && injectedBy !== 'safety';
  const source = isOfPolicy ? ` ${injectedBy} gives the probe: change it there.` : '';
  const beside = failed.length > 0 ? [] : await besidePass(planned, others, asking);
  return {
    ...place,
    result: failed.length > 0 ? 'fails' : diagnosis === undefined ? 'passes' : 'warns',
    event: eventMessage(probe, answer),
    code: answer.code ?? null,
    milliseconds,
    timeoutSeconds,
    notes: [...notesOn(planned, answer), ...beside],
    cause: diagnosis?.cause ?? null,
    remedy: diagnosis === undefined ? '' : `${often}${diagnosis.remedy}${source}`,
    edits: injectedBy === undefined ? (diagnosis?.edits ?? []) : [],
  };
}

function notesOn({ handler }: ProbeToTry, { result, code, redirectedTo, otherHost }: Answer): string[] {
  const gave = result === 'failure' && code === undefined ? 'which gave no answer' : 'which gave the answer';
  const [reference] = handler.kind === 'exec' ? [] : stringsIn(handler.spec).flatMap(variableReferences);
  return [
    ...(redirectedTo === undefined ? [] : [`The path was redirected to ${redirectedTo}, ${gave}.`]),
    ...(otherHost === undefined ? [] : [`The answer is a redirect to ${otherHost}, which the kubelet does not ask.`]),
    ...(reference === undefined
      ? []
      : [`$(${reference}) was sent as it is: the kubelet replaces variables in commands only.`]),
  ];
}

/** The texts of a handler, at any depth. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** An answer that takes longer than this part of timeoutSeconds is a warning: a busy node makes it late. */
const SLOW_PART = 0.5;

/** Undefined for answers that come in time. */
function slowness(planned: ProbeToTry, longest: number): Diagnosis | undefined {
  const { timeoutSeconds } = planned.timing;
  if (longest <= timeoutSeconds * 1000 * SLOW_PART) return undefined;
  const late = `The longest answer took ${longest} ms of timeoutSeconds: ${timeoutSeconds}. `;
  // The longest answer then takes no more than half of the time.
  const edits = [{ path: probeField(planned, 'timeoutSeconds'), value: Math.ceil((longest / 1000) * 2) }];
  return { cause: 'slow', remedy: `${late}${remedyFor('slow')}`, edits };
}

/** Counts the results. */
export function triedSummary(probes: readonly TriedProbe[]): TryOutput['summary'] {
  const number = (wanted: TryResult): number => probes.filter(({ result }) => result === wanted).length;
  return { passes: number('passes'), fails: number('fails'), warns: number('warns'), notRun: number('not run') };
}
