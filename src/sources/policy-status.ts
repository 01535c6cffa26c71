import { cut } from '../text/cut.ts';
import { visible } from '../text/visible.ts';
import { isRecord } from '../kubernetes/kubernetes-object.ts';

/** What came of reading a policy of the cluster. */
export interface PolicyVerdict {
  /** The metadata.generation that was read. */
  readonly generation: number;
  /** Everything that keeps this generation out of force, as `path: what`; none when it is in force. */
  readonly problems: readonly string[];
  /** The version that is in force: this one, or the last good one. */
  readonly good: { readonly generation: number; readonly spec: string } | undefined;
}

/** What an object's status shows, as far as it matters here. */
export interface ShownStatus {
  /** Whether there is a status at all. */
  readonly exists: boolean;
  readonly observedGeneration: number | undefined;
  /** All of them, as they stand; those of other types are others' and are kept. */
  readonly conditions: readonly Readonly<Record<string, unknown>>[];
  readonly lastGood: LastGood | undefined;
}

/** The last version that could be read, written down for the next process that has not seen it. */
export interface LastGood {
  readonly generation: number;
  readonly spec: unknown;
}

/** A patch for an object's status subresource. */
export interface StatusPatch {
  readonly type: 'merge' | 'json';
  readonly body: unknown;
}

/** The type of the condition that is ours. */
const READY = 'Ready';
/** Conditions are read in tables and terminals. */
const MAX_MESSAGE_LENGTH = 1024;

/** Reads the `status` of a policy's object. What is not as we write it is not there. */
export function shownStatus(status: unknown): ShownStatus {
  if (!isRecord(status)) return NOTHING_SHOWN;
  const { observedGeneration, conditions, lastGood } = status;
  return {
    exists: true,
    observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : undefined,
    conditions: Array.isArray(conditions) ? conditions.filter(isRecord) : [],
    lastGood: readLastGood(lastGood),
  };
}

const NOTHING_SHOWN: ShownStatus = {
  exists: false,
  observedGeneration: undefined,
  conditions: [],
  lastGood: undefined,
};

function readLastGood(lastGood: unknown): LastGood | undefined {
  if (!isRecord(lastGood) || typeof lastGood['generation'] !== 'number' || !isRecord(lastGood['spec']))
    return undefined;
  return { generation: lastGood['generation'], spec: lastGood['spec'] };
}

/** Whether a status may have the last good version in it, or must do without as the object has no room for both. */
export type StatusExtent = 'whole' | 'without last good';

/** True when the status says of this very generation what the verdict says. */
export function isShown(shown: ShownStatus, verdict: PolicyVerdict, extent: StatusExtent = 'whole'): boolean {
  const ready = shown.conditions.filter(({ type }) => type === READY);
  const wanted = readyCondition(verdict, extent);
  return (
    shown.observedGeneration === verdict.generation &&
    ready.length === 1 &&
    ready.every(
      ({ status, reason, message }) =>
        status === wanted.status && reason === wanted.reason && message === wanted.message,
    ) &&
    lastGoodChange(shown, verdict, extent) === 'none'
  );
}

/**
 * The patch that makes a status say what the verdict says, or undefined when it does already. It says of which generation it speaks, so
 * that one that arrives late passes no judgement on a newer one.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function statusPatch(
  shown: ShownStatus,
  verdict: PolicyVerdict,
  now: number,
  extent: StatusExtent = 'whole',
): StatusPatch | undefined {
  if (isShown(shown, verdict, extent)) return undefined;
  const { generation, good } = verdict;
  const conditions = withReady(shown.conditions, verdict, now, extent);
  const change = lastGoodChange(shown, verdict, extent);
  if (change !== 'write' || good === undefined) {
    const lastGood = change === 'remove' ? { lastGood: null } : {};
    return { type: 'merge', body: { status: { observedGeneration: generation, conditions, ...lastGood } } };
  }
  // A merge patch would drop every null of the spec, where null has a meaning, and mix the spec with an older one.
  const lastGood = { generation: good.generation, spec: JSON.parse(good.spec) as unknown };
  const fields = { observedGeneration: generation, conditions, lastGood };
  const body = shown.exists
    ? Object.entries(fields).map(([field, value]) => ({ op: 'add', path: `/status/${field}`, value }))
    : [{ op: 'add', path: '/status', value: fields }];
  return { type: 'json', body };
}

/**
 * `lastGood` is there while it is needed. One that is newer than what we know, or that we cannot read, is left alone: another version of
 * us may be able to.
 */
function lastGoodChange(
  { lastGood }: ShownStatus,
  { problems, good, generation }: PolicyVerdict,
  extent: StatusExtent,
): 'none' | 'write' | 'remove' {
  if (problems.length === 0) return lastGood === undefined ? 'none' : 'remove';
  if (good === undefined || extent === 'without last good') return 'none';
  const isBelieved = lastGood !== undefined && isEarlier(lastGood.generation, generation);
  return !isBelieved || lastGood.generation < good.generation ? 'write' : 'none';
}

/** Whether a last good version can be one of the object that shows it: somebody else may have written it, or restored it from a backup. */
export function isEarlier(lastGood: number, generation: number | undefined): boolean {
  return Number.isInteger(lastGood) && lastGood >= 1 && generation !== undefined && lastGood < generation;
}

/** In the place of the one before, so that the others keep their order; the time is that of the last change of `status`. */
function withReady(
  conditions: ShownStatus['conditions'],
  verdict: PolicyVerdict,
  now: number,
  extent: StatusExtent,
): readonly Readonly<Record<string, unknown>>[] {
  const wanted = readyCondition(verdict, extent);
  const before = conditions.find(({ type }) => type === READY);
  const since = before?.['status'] === wanted.status ? before['lastTransitionTime'] : undefined;
  const ready = {
    type: READY,
    ...wanted,
    observedGeneration: verdict.generation,
    lastTransitionTime: typeof since === 'string' ? since : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const others = conditions.filter((condition) => condition === before || condition['type'] !== READY);
  return before === undefined
    ? [...others, ready]
    : others.map((condition) => (condition === before ? ready : condition));
}

interface Ready {
  readonly status: 'True' | 'False';
  readonly reason: 'Accepted' | 'Invalid';
  readonly message: string;
}

const ACCEPTED: Ready = { status: 'True', reason: 'Accepted', message: 'in force' };

function readyCondition({ problems, good }: PolicyVerdict, extent: StatusExtent): Ready {
  if (problems.length === 0) return ACCEPTED;
  const limit = extent === 'whole' ? '' : ' until the replicas restart, as the object is too large to keep it';
  const consequence =
    good === undefined ? 'no version is in force' : `generation ${good.generation} stays in force${limit}`;
  return { status: 'False', reason: 'Invalid', message: bounded(consequence, problems) };
}

/** The consequence, then as many of the problems as have room, at least the beginning of the first. */
function bounded(consequence: string, problems: readonly string[]): string {
  let message = `${consequence}: `;
  for (const [index, text] of problems.entries()) {
    const problem = visible(text);
    const rest = problems.length - index - 1;
    const more = rest === 0 ? '' : `; and ${rest} more`;
    const room = MAX_MESSAGE_LENGTH - message.length - more.length - 2;
    if (problem.length > room) {
      if (index > 0) return `${message}; and ${rest + 1} more`;
      return `${message}${cut(problem, room)}${more}`;
    }
    message += index === 0 ? problem : `; ${problem}`;
  }
  return message;
}
