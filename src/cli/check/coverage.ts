import { objectMember, stringMembers } from '../../json/json-value.ts';
import { coverageOf } from '../../verdict/coverage.ts';
import { workloadIn } from '../../manifests/manifest.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';
import type { Inputs } from '../../manifests/inputs.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import type { LackReason, ProbeCover } from '../../verdict/coverage.ts';

/** How many containers have a probe, get one from policies, and lack one. */
export interface ProbeCounts {
  readonly have: number;
  readonly get: number;
  readonly lack: number;
  /** How many containers lack the probe for each reason, most containers first. */
  readonly reasons: Readonly<Partial<Record<LackReason, number>>>;
}

/** A workload of which policies want the main container, and none can be determined. */
export interface NoMainContainer {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The policies with `containers: main`, as kind/namespace/name. */
  readonly policies: readonly string[];
  readonly message: string;
}

/** Which containers of all workloads have probes. */
export interface Coverage {
  /** Application containers and native sidecars. */
  readonly containers: number;
  readonly livenessProbe: ProbeCounts;
  readonly readinessProbe: ProbeCounts;
  readonly noMainContainer: readonly NoMainContainer[];
}

/** Counts the probes of all workloads of the inputs, as the webhook would leave them. */
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

function countsOf(covers: readonly ProbeCover[]): ProbeCounts {
  const counts = new Map<ProbeCover, number>();
  for (const cover of covers) counts.set(cover, (counts.get(cover) ?? 0) + 1);
  const {
    have = 0,
    get = 0,
    ...reasons
  } = Object.fromEntries([...counts].sort(([, a], [, b]) => b - a)) as Partial<Record<ProbeCover, number>>;
  return { have, get, lack: covers.length - have - get, reasons };
}
