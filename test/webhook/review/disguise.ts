import { validate } from '../../support/decisions.ts';
import { NOW } from '../../support/now.ts';
import {
  appContainer,
  clusterPolicyDocument,
  pod,
  policySet,
  requestOf,
  reviewOf,
  VALIDATE_SETTINGS,
} from '../../support/worlds.ts';
import { withEdits } from '../../../src/base/json/field-path.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** A row of the table of disguises: what a tenant sends to get past a floor, or what looks like that and is honest. */
export interface Disguise {
  /** What the object pretends: the name of the test. */
  readonly pretends: string;
  readonly object: JsonObject;
  /** What `/validate` answers. */
  readonly answer: 'denied' | 'allowed';
  /** The checks that have the action and the floor Deny, with their parameters. Without it: required-readiness. */
  readonly floors?: JsonObject;
  /** Who asks. Without it: jane, who edits one namespace. */
  readonly user?: string;
  /** Other members of the request, such as `operation` and `oldObject`. */
  readonly request?: JsonObject;
  readonly settings?: Partial<typeof VALIDATE_SETTINGS>;
  /** The same object without the fault, which must be allowed: so nothing else in it is denied. */
  readonly honest?: JsonObject;
}

export const REQUIRED_READINESS: JsonObject = { 'required-readiness': {} };

/** The answer of `/validate` for a row, or for another object in its place. */
export function answerTo(row: Disguise, object = row.object): Disguise['answer'] {
  const floors = Object.entries(row.floors ?? REQUIRED_READINESS).map(
    ([check, parameters]) => [check, { ...(parameters as JsonObject), action: 'Deny', floor: 'Deny' }] as const,
  );
  const policies = policySet(clusterPolicyDocument({ containers: ['*'], checks: Object.fromEntries(floors) }));
  const request = requestOf(reviewOf(object, { userInfo: { username: row.user ?? 'jane' }, ...row.request }));
  const { response } = validate(request, policies, { ...VALIDATE_SETTINGS, ...row.settings }, NOW).reply;
  return response.allowed ? 'allowed' : 'denied';
}

export type Type = readonly [apiVersion: string, kind: string];

export const POD: Type = ['v1', 'Pod'];
export const DEPLOYMENT: Type = ['apps/v1', 'Deployment'];
export const CRON_JOB: Type = ['batch/v1', 'CronJob'];
export const ROLLOUT: Type = ['argoproj.io/v1alpha1', 'Rollout'];

export interface Parts {
  readonly containers?: readonly JsonObject[];
  readonly initContainers?: readonly JsonObject[];
  /** Of the object. */
  readonly metadata?: JsonObject;
  /** Of the Pod, or of the Pod template. */
  readonly annotations?: JsonObject;
}

/** An object of a kind with these containers; one container that has no probes when left out. */
export function objectOf(
  [apiVersion, kind]: Type,
  { containers, initContainers, metadata, annotations }: Parts,
): JsonObject {
  const spec = initContainers && { initContainers };
  const ofPod = { ...(kind === 'Pod' && metadata), ...(annotations && { annotations }) };
  const whole = pod(containers ?? [appContainer()], { metadata: ofPod, ...(spec && { spec }) });
  if (kind === 'Pod') return whole;
  const template = { metadata: { labels: { app: 'web' }, annotations }, spec: whole['spec'] };
  const made = { apiVersion, kind, metadata: { name: 'web', namespace: 'apps', ...metadata } };
  if (kind !== 'CronJob') return { ...made, spec: { template } };
  const ending = withEdits(template, [{ path: ['spec', 'restartPolicy'], value: 'Never' }]);
  return { ...made, spec: { schedule: '@daily', jobTemplate: { spec: { template: ending } } } };
}
