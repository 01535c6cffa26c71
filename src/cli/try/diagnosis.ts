import { NotRun, type Answer } from './answer.ts';
import { askProbe, type Asking } from './ask.ts';
import { probeField, type PlannedProbe } from './planned-probes.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { HandlerKind } from '../../engine/probe/probe.ts';
import type { AdvisedEdit } from '../output/json-outputs.ts';
import type { TryCause } from './cause.ts';

/** Why a probe fails, and what to write. */
export interface Diagnosis {
  readonly cause: TryCause;
  readonly remedy: string;
  /** The remedy as edits of the object. Empty when no value is known to work. */
  readonly edits: readonly AdvisedEdit[];
}

/** What is looked at, and with what. */
export interface Look {
  readonly planned: PlannedProbe;
  readonly answer: Answer;
  readonly asking: Asking;
  readonly cause: TryCause;
  /** The container's port; 0 for a command, and for a name that the container does not declare. */
  readonly port: number;
}

/** Finds what would pass. Undefined when it finds nothing. */
export type Finder = (look: Look) => Promise<Diagnosis | undefined>;

/** A diagnosis, by default with the cause of the answer. */
export function diagnosis(
  { cause }: { readonly cause: TryCause },
  remedy: string,
  edits: readonly AdvisedEdit[] = [],
): Diagnosis {
  return { cause, remedy, edits };
}

/** An edit of a field below the probe. */
export function edit({ planned }: Look, path: FieldPath, value: unknown): AdvisedEdit {
  return { path: probeField(planned, ...path), value };
}

/** Replaces the handler of a probe. */
export function replaced(look: Look, handler: JsonObject): AdvisedEdit[] {
  const { handlerKind } = look.planned;
  return [
    edit(look, [handlerKind], null),
    ...Object.entries(handler).map(([kind, value]) => edit(look, [kind], value)),
  ];
}

/** A question that only looks further waits no longer. */
export const LOOK_SECONDS = 2;

/** Asks with another handler. Undefined where that cannot be asked. */
export async function asked(
  { planned, asking }: Look,
  handlerKind: HandlerKind,
  handler: JsonObject,
  timeoutSeconds = LOOK_SECONDS,
): Promise<Answer | undefined> {
  try {
    return await askProbe({ ...planned, handlerKind, handler, timing: { ...planned.timing, timeoutSeconds } }, asking);
  } catch (error) {
    if (error instanceof NotRun) return undefined;
    throw error;
  }
}
