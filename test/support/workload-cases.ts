import { deploymentWith, podWith } from '../engine/checks/workload.ts';
import { clusterPolicyDocument, policyDocument, policySet } from './worlds.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** A workload as cases write it: a Pod or Deployment `web` of a container `app` with an http port, unless members say otherwise. */
export interface WorkloadCase {
  /** Members of the container `app`, and the containers beside it; or all containers. */
  readonly app?: JsonObject;
  readonly beside?: readonly JsonObject[];
  readonly containers?: readonly JsonObject[];
  /** Other members of the Pod's spec, and of its metadata; without `metadata`, the labels are those of `web`. */
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
  const template = (deployment === undefined ? made : (made['spec'] as JsonObject)['template']) as {
    metadata: JsonObject;
    spec: { containers: unknown };
  };
  if (beside !== undefined) template.spec.containers = [...(template.spec.containers as unknown[]), ...beside];
  if (containers !== undefined) template.spec.containers = containers;
  if (metadata !== undefined) template.metadata = { name: 'web', namespace: 'apps', ...metadata };
  if (annotations !== undefined) template.metadata = { ...template.metadata, annotations };
  return made;
}

/** Policies from their specs by name, such as ProbePolicy/apps/policy or ClusterProbePolicy/cluster. */
export function policiesOf(specs: JsonObject = {}): Snapshot {
  const documents = Object.entries(specs).map(([source, spec]) => {
    const [kind, first = '', second = ''] = source.split('/');
    return kind === 'ProbePolicy' ? policyDocument(spec, second, first) : clusterPolicyDocument(spec, first);
  });
  return policySet(...documents);
}
