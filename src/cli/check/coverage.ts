import { objectMember, stringMembers } from '../../base/json/json-value.ts';
import { coverageOf, type ProbeCover } from '../../engine/verdict/coverage.ts';
import { workloadIn, type Manifest } from '../input/manifest.ts';
import { workloadNameOf } from '../../engine/workload/workload-of-pod.ts';
import type { Inputs } from '../input/inputs.ts';
import type { CheckOutput, ListedProbeCounts } from '../output/json-outputs.ts';

export type Coverage = CheckOutput['summary']['coverage'];

/** A workload of which policies want the main container, and none can be determined. */
export type NoMainContainer = Coverage['noMainContainer'][number];

export function coverageOfInputs(inputs: Inputs): Coverage {
  const templates = inputs.texts.flatMap(({ manifests }) => manifests.flatMap((each) => templatesOf(each, inputs)));
  const containers = templates.flatMap((template) => template.containers);
  return {
    containers: containers.length,
    livenessProbe: countsOf(containers.map(({ livenessProbe }) => livenessProbe)),
    readinessProbe: countsOf(containers.map(({ readinessProbe }) => readinessProbe)),
    noMainContainer: templates.flatMap(({ noMainContainer }) => noMainContainer ?? []),
  };
}

interface PlacedCoverage {
  readonly containers: ReturnType<typeof coverageOf>['containers'];
  readonly noMainContainer: NoMainContainer | undefined;
}

function templatesOf({ object, document, path }: Manifest, inputs: Inputs): PlacedCoverage[] {
  const workload = workloadIn(object, inputs);
  if (workload === undefined) return [];
  const { kind, namespace, name } = workload;
  const itself = workloadNameOf(object, kind, false);
  return workload.templates.map(({ template }) => {
    const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
    const policy = inputs.policies.policyFor(namespace, labels, itself);
    const { containers, noMainContainer } = coverageOf(template, policy, kind);
    if (noMainContainer === undefined) return { containers, noMainContainer };
    const { policies, detail: message } = noMainContainer;
    const place = { file: document.file, ...document.position(path) };
    return { containers, noMainContainer: { ...place, kind: kind.kind, namespace, name, policies, message } };
  });
}

function countsOf(covers: readonly ProbeCover[]): ListedProbeCounts {
  const counts = new Map<ProbeCover, number>();
  for (const cover of covers) counts.set(cover, (counts.get(cover) ?? 0) + 1);
  const {
    have = 0,
    get = 0,
    ...reasons
  } = Object.fromEntries([...counts].sort(([, a], [, b]) => b - a)) as Partial<Record<ProbeCover, number>>;
  return { have, get, lack: covers.length - have - get, reasons };
}
