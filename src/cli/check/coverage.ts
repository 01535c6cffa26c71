import { layersWithProbes } from '../../engine/policy/container-policy.ts';
import { selects } from '../../engine/policy/label-selector.ts';
import { policyOfPod } from '../../engine/verdict/judge.ts';
import { coverageOf, type ProbeCover } from '../../engine/verdict/coverage.ts';
import { workloadIn, type Manifest, manifestsIn } from '../input/manifest.ts';
import type { Manifests } from '../input/manifests.ts';
import { isUnasked } from '../input/unasked-selectors.ts';
import type { Pod } from '../../engine/workload/pod.ts';
import type { World } from '../input/world.ts';
import type { CheckOutput, ListedProbeCounts } from '../output/json-outputs.ts';

export type Coverage = CheckOutput['summary']['coverage'];

/** How many containers of the manifests have each probe, get it, or lack it. */
export function coverageIn(manifests: Pick<Manifests, 'texts'>, world: World): Coverage {
  const templates = manifestsIn(manifests).flatMap((each) => templatesOf(each, world));
  const containers = templates.flatMap((template) => template.containers);
  return {
    containers: containers.length,
    livenessProbe: countsOf(containers.map(({ livenessProbe }) => livenessProbe)),
    readinessProbe: countsOf(containers.map(({ readinessProbe }) => readinessProbe)),
    noMainContainer: templates.flatMap(({ noMainContainer }) => noMainContainer ?? []),
  };
}

function templatesOf({ object, document, path }: Manifest, world: World) {
  const workload = workloadIn(object, world);
  if (workload === undefined) return [];
  const { kind, namespace, name } = workload;
  return workload.pods.map((pod) => {
    const { containers: covers, noMainContainer } = coverageOf(pod, policyOfPod(workload, pod, world.snapshot));
    const known = (cover: ProbeCover): ProbeCover =>
      cover === 'no-policy' && mayGiveProbes(pod, namespace, world) ? 'namespace-unknown' : cover;
    const containers = covers.map(({ livenessProbe, readinessProbe }) => ({
      livenessProbe: known(livenessProbe),
      readinessProbe: known(readinessProbe),
    }));
    if (noMainContainer === undefined) return { containers };
    const place = { ...document.placeOf(path), kind: kind.kind, namespace, name };
    const { policies, detail: message } = noMainContainer;
    return { containers, noMainContainer: { ...place, policies, message } };
  });
}

/** True where a policy that asks for probes may select a Pod, if only the labels of its namespace were known. */
export function mayGiveProbes(pod: Pod, namespace: string, world: World): boolean {
  return layersWithProbes(world.snapshot.policies).some(
    (policy) => selects(policy.workloadSelector ?? [], pod.labels) && isUnasked(policy, namespace, world),
  );
}

function countsOf(covers: readonly ProbeCover[]): ListedProbeCounts {
  const counts = [...Map.groupBy(covers, (cover) => cover)].map(([cover, { length }]) => [cover, length] as const);
  const sorted: Partial<Record<ProbeCover, number>> = Object.fromEntries(counts.sort(([, a], [, b]) => b - a));
  const { have = 0, get = 0, ...reasons } = sorted;
  return { have, get, lack: covers.length - have - get, reasons };
}
