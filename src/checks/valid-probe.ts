import { apiCauses } from '../probes/api-rules.ts';
import { decodeProblem } from '../probes/decode.ts';
import { deploymentCauses } from '../probes/deployment-rules.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { BUILT_IN_KINDS } from '../workload/kinds.ts';
import { oncePerWorkload } from './once-per-workload.ts';
import type { PodSpecPlace } from '../probes/api-rules.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';

/**
 * What the API server itself would refuse: its own field path, reason and text, everything at once, in its order. It answers this for
 * built-in kinds before validating webhooks are asked; for custom kinds and offline this check is what says it. A value that the API
 * server cannot decode is its only answer then, and ours.
 */
export const validProbe: Check = {
  id: 'valid-probe',
  everyContainer: true,
  run: (workload, container) => findingsOf(workload).get(container) ?? [],
};

type FindingsByContainer = ReadonlyMap<CheckedContainer, Finding[]>;

/** The server's answer is about a whole Pod spec, so it is worked out once and not once a container. */
const findingsOf = oncePerWorkload((workload) => sortedByContainer(workload, answer(workload)));

function answer({ kind, object, podSpec, podSpecPath }: CheckedWorkload): Finding[] {
  const undecodable = decodeProblem(podSpec, podSpecPath);
  if (undecodable !== undefined) return [undecodable];
  const causes = apiCauses(podSpec, podSpecPath, placeOf(kind)).flatMap((group) => group.causes);
  const ofOwner = kind.group === 'apps' && kind.kind === 'Deployment' ? deploymentCauses(object) : [];
  return [...causes, ...ofOwner];
}

/** A custom kind's own rules for restartPolicy are not known. */
function placeOf(kind: CheckedWorkload['kind']): PodSpecPlace {
  const builtIn = BUILT_IN_KINDS.find((entry) => entry.group === kind.group && entry.kind === kind.kind);
  if (builtIn === undefined) return 'template';
  if (builtIn.kind === 'Pod') return 'pod';
  return builtIn.runsToCompletion ? 'completion' : 'forever';
}

/** A finding that is inside no container of the workload goes with the first container that it may mean. */
function sortedByContainer(workload: CheckedWorkload, findings: readonly Finding[]): FindingsByContainer {
  const sorted = new Map<CheckedContainer, Finding[]>();
  if (findings.length === 0) return sorted;
  const byPath = new Map(workload.containers.map((container) => [container.path, container]));
  for (const finding of findings) {
    const { path: place, probe } = placeIn(workload.podSpecPath, finding.path);
    const own = place === undefined ? undefined : byPath.get(place);
    const container = own ?? firstConcerned(workload.containers, finding.path);
    if (container === undefined) continue;
    const others = sorted.get(container) ?? [];
    others.push(own === undefined || probe === undefined ? finding : { ...finding, probe });
    sorted.set(container, others);
  }
  return sorted;
}

/** The container and the probe that a path leads into. */
function placeIn(podSpecPath: string, path: string): { path?: string; probe?: ProbeKind } {
  const match = /^(\.(?:c|initC|ephemeralC)ontainers\[\d+\])(?:\.(\w+))?/.exec(path.slice(podSpecPath.length));
  if (match === null) return {};
  const [, container = '', field] = match;
  const probe = PROBE_KINDS.find((kind) => kind === field);
  return { path: podSpecPath + container, ...(probe && { probe }) };
}

/** The first container of the list that a path names, or the first of the Pod. */
function firstConcerned(containers: readonly CheckedContainer[], path: string): CheckedContainer | undefined {
  return containers.find((container) => container.path.startsWith(`${path}[`)) ?? containers[0];
}
