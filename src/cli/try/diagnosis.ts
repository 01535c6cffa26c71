import { probeField, type PlannedProbe } from './planned-probes.ts';
import type { Answer } from './answer.ts';
import type { TryCause } from './cause.ts';
import type { Target } from './target.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { AdvisedEdit } from '../output/json-outputs.ts';

/** Why a probe fails, and what to write. */
export interface Diagnosis {
  readonly cause: TryCause;
  readonly remedy: string;
  /** The remedy as edits of the object. Empty when no value is known to work. */
  readonly edits: readonly AdvisedEdit[];
}

/** The paths that are tried after a failure, beside those of the policies. No other path is ever asked. */
export const USUAL_PATHS: readonly string[] = [
  '/livez',
  '/readyz',
  '/healthz',
  '/health',
  '/health/live',
  '/health/ready',
  '/ping',
  '/up',
  '/-/healthy',
  '/-/ready',
  '/actuator/health/liveness',
  '/actuator/health/readiness',
  '/q/health/live',
  '/q/health/ready',
  '/api/health',
];

/** A question that only looks further waits no longer. */
export const LOOK_MILLISECONDS = 2000;
/** What is looked at, and with what. */
export interface Look {
  readonly planned: PlannedProbe;
  readonly target: Target;
  readonly answer: Answer;
  readonly monotonic: () => number;
}

/** Replaces the handler of a probe. */
export function replaced(planned: PlannedProbe, handler: JsonObject): AdvisedEdit[] {
  return [
    { path: probeField(planned, planned.handlerKind), value: null },
    ...Object.entries(handler).map(([kind, value]) => ({ path: probeField(planned, kind), value })),
  ];
}
