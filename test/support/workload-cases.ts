import { deploymentWith, podWith } from '../engine/checks/workload.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** A workload as cases write it: a Pod or Deployment `web` of a container `app` with an http port, unless members say otherwise. */
export interface WorkloadCase {
  /** Members of the container `app`, and the containers beside it; or all containers. */
  readonly app?: JsonObject;
  readonly beside?: readonly JsonObject[];
  readonly containers?: readonly JsonObject[];
  /** Other members of the Pod's spec, and of its metadata; the labels are those of `web` unless metadata is given. */
  readonly pod?: JsonObject;
  readonly metadata?: JsonObject;
  readonly annotations?: JsonObject;
  /** Other members of a Deployment's spec; without them, the workload is a Pod. */
  readonly deployment?: JsonObject;
  /** A manifest in whole, in place of all of the above. */
  readonly manifest?: JsonObject;
}

export function manifestOf(given: WorkloadCase): JsonObject {
  const { app = {}, beside, containers, pod = {}, metadata, annotations, deployment, manifest } = given;
  if (manifest !== undefined) return manifest;
  const made = deployment === undefined ? podWith(app, pod) : deploymentWith(app, deployment, pod);
  const template = deployment === undefined ? made : ((made['spec'] as JsonObject)['template'] as JsonObject);
  const spec = template['spec'] as { containers: unknown };
  if (beside !== undefined) spec.containers = [...(spec.containers as unknown[]), ...beside];
  if (containers !== undefined) spec.containers = containers;
  const own =
    metadata === undefined ? (made['metadata'] as JsonObject) : { name: 'web', namespace: 'apps', ...metadata };
  return { ...made, metadata: { ...own, ...(annotations && { annotations }) } };
}
