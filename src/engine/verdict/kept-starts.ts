import { withEdits, type FieldEdit } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { endsInTime, MOST_LATER_SECONDS } from '../time/startup-numbers.ts';
import { readySeconds } from '../time/timing.ts';
import { podTemplatesOf, type WorkloadKind } from '../workload/kinds.ts';
import { probeOf, startGateOf, timedProbe, type Container } from '../workload/pod.ts';
import { readPods } from '../workload/read-pod.ts';

/** True for a check that asks for more time to start. A policy that turns a check on may ask for it, too. */
export const mayAskForTime = (check: string): boolean =>
  CHECK_CATALOGUE[check]?.asksForTime === true || CHECK_CATALOGUE[check]?.action === 'Off';

/**
 * True when edits beside earlier ones keep the starts of an object: no failed start ends more than a tenth later, and
 * Ready comes at most 5 s later. Each edit alone does; several may not.
 *
 * @param first the object before any edit
 * @param now the object with the earlier edits
 * @param mayLast true for a container whose failed start may end later, because a check asks for more time
 */
export function keepsStarts(
  first: JsonObject,
  now: JsonObject,
  edits: readonly FieldEdit[],
  kind: WorkloadKind,
  mayLast: (container: string) => boolean,
): boolean {
  const [before, after] = [first, withEdits(now, edits)].map((object) =>
    readPods(podTemplatesOf(object, kind), kind).flatMap(({ containers }) => containers),
  );
  return (before ?? []).every((was, index) => {
    const is = after?.[index];
    if (is === undefined) return true;
    const [from, to] = [was, is].map((one) => timedProbe(one, startGateOf(one))?.timing);
    const isInTime = from === undefined || to === undefined || mayLast(was.name) || endsInTime(from, to);
    const [readyBefore, ready] = [was, is].map(readySecondsOf);
    return isInTime && (readyBefore === 0 || (ready ?? 0) <= (readyBefore ?? 0) + MOST_LATER_SECONDS);
  });
}

function readySecondsOf(container: Container): number {
  const [startup, readiness] = (['startupProbe', 'readinessProbe'] as const).map(
    (kind) => probeOf(container, kind)?.numbers,
  );
  return readySeconds(startup, readiness);
}
