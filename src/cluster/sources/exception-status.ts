import { objectsAt, valueAt } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { ALL_EXCEPTION_STATES, type ExceptionState, type LeftOutState } from '../../engine/policy/probe-exception.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';

const LETTERS = 3;

/**
 * What is kept of the status of an exception, as a short text: the state, whether it is limited and current, and the
 * last match. Commands and the playground read it, too.
 */
export function reportedStatus(object: JsonObject): string {
  const status = objectMember(object, 'status') ?? {};
  const { state, lastMatched } = status;
  const limited = objectsAt(status, 'conditions').some(
    (each) => each['type'] === 'Limited' && each['status'] === 'True',
  );
  const isCurrent = status['observedGeneration'] === valueAt(object, ['metadata', 'generation']);
  const match = typeof lastMatched === 'string' ? parseInstant(lastMatched) : undefined;
  const at = match === undefined ? '' : Math.floor(match / 1000).toString(36);
  return letters(typeof state === 'string' ? state : '', limited, isCurrent) + at;
}

/** One letter for the state, `L` for limited, `C` if the status is about the newest version. */
function letters(state: string, isLimited: boolean, isCurrent: boolean): string {
  const index = (ALL_EXCEPTION_STATES as readonly string[]).indexOf(state);
  return `${index < 0 ? '-' : String(index)}${isLimited ? 'L' : '-'}${isCurrent ? 'C' : '-'}`;
}

/** True if the status says this state of the newest version. */
export function isReportedAs(
  reported: string | undefined,
  state: ExceptionState | LeftOutState,
  isLimited: boolean,
): boolean {
  return reported?.slice(0, LETTERS) === letters(state, isLimited, true);
}

/** When the status says that the exception last matched, in milliseconds since the epoch. */
export function reportedLastMatch({ reported }: ProbeException): number | undefined {
  const text = reported?.slice(LETTERS) ?? '';
  return text === '' ? undefined : Number.parseInt(text, 36) * 1000;
}
