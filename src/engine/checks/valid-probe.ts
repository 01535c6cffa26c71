import { formatPath } from '../../base/json/field-path.ts';
import { apiCauses, deploymentCauses } from '../probe/api-rules.ts';
import { decodeProblem } from '../probe/decode.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { hasFixedRestartPolicy, isDeployment, isPod } from '../workload/kinds.ts';
import { adviceForCause } from './lib/valid-probe-advice.ts';
import { oncePerWorkload } from './checked-workload.ts';
import { defineCheck } from './check.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { PodSpecPlace } from '../probe/api-rules.ts';
import type { CheckedContainer, CheckedWorkload } from './checked-workload.ts';
import type { Finding } from './check.ts';

/**
 * Reports all errors that the API server itself would return, with the API server's path, reason, text and order. For
 * built-in kinds the API server answers before it calls validating webhooks. For custom kinds and offline, only this
 * check reports these errors. When the API server cannot decode a value, it reports only that value, and so does this
 * check.
 */
export const validProbe = defineCheck({
  id: 'valid-probe',
  summary: 'The API server would refuse the probe.',
  action: 'Deny',
  cannotWork: true,
  everyContainer: true,
  run: (container) => findingsByContainer(container.workload).get(container) ?? [],
});

type FindingsByContainer = ReadonlyMap<CheckedContainer, Finding[]>;

const NOTHING: FindingsByContainer = new Map();

/**
 * The API server's errors concern a whole Pod spec. They are therefore computed once for each workload instead of once
 * for each container.
 */
const findingsByContainer = oncePerWorkload((workload) => sortedByContainer(workload, answer(workload)));

function answer({ kind, object, podSpec, podSpecPlace }: CheckedWorkload): Finding[] {
  const undecodable = decodeProblem(podSpec, podSpecPlace);
  if (undecodable !== undefined) return [undecodable];
  const causes = apiCauses(podSpec, podSpecPlace, placeOf(kind)).flatMap((group) => group.causes);
  const ofOwner = isDeployment(kind) ? deploymentCauses(object) : [];
  return [...causes, ...ofOwner];
}

function placeOf(kind: CheckedWorkload['kind']): PodSpecPlace {
  if (isPod(kind)) return 'pod';
  if (!hasFixedRestartPolicy(kind)) return 'template';
  return kind.runsToCompletion ? 'completion' : 'forever';
}

/** A finding outside every container is assigned to the first container that it may concern. */
function sortedByContainer(workload: CheckedWorkload, findings: readonly Finding[]): FindingsByContainer {
  if (findings.length === 0) return NOTHING;
  const sorted = new Map<CheckedContainer, Finding[]>();
  const depth = workload.podSpecPlace.path().length;
  const byPlace = new Map(workload.containers.map((container) => [keyOf(container.place.path(), depth), container]));
  for (const finding of findings) {
    const own = byPlace.get(keyOf(finding.path, depth));
    const container = own ?? firstConcerned(workload.containers, finding.path, depth);
    if (container === undefined) continue;
    const probe = PROBE_KINDS.find((kind) => kind === finding.path[depth + 2]);
    const others = sorted.get(container) ?? [];
    others.push({
      ...(own === undefined || probe === undefined ? finding : { ...finding, probe }),
      ...adviceForCause(finding, workload.object, own),
    });
    sorted.set(container, others);
  }
  return sorted;
}

/** Returns list and index of the container that a path leads into. `depth` is the length of the Pod spec's path. */
function keyOf(path: FieldPath, depth: number): string {
  return formatPath(path.slice(depth, depth + 2));
}

/** Returns the first container of the list that a path names, or the first container of the Pod. */
function firstConcerned(
  containers: readonly CheckedContainer[],
  path: FieldPath,
  depth: number,
): CheckedContainer | undefined {
  const list = path[depth];
  return containers.find(({ place }) => path.length === depth + 1 && place.path()[depth] === list) ?? containers[0];
}
