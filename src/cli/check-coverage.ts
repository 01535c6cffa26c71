import { objectMember, stringMember, stringMembers } from '../base/json/json-value.ts';
import { coverageOf } from '../engine/verdict/coverage.ts';
import { templatesToLookAt, workloadKindOfManifest } from '../engine/workload/kinds.ts';
import { workloadNameOf } from '../engine/workload/workload-of-pod.ts';
import type { Inputs } from './input/inputs.ts';
import type { Manifest } from './input/manifest.ts';
import type { LackReason, ProbeCover } from '../engine/verdict/coverage.ts';

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
  const [liveness, readiness] = [new Map<ProbeCover, number>(), new Map<ProbeCover, number>()];
  const noMainContainer: NoMainContainer[] = [];
  let containers = 0;
  for (const { manifests } of inputs.texts) {
    for (const manifest of manifests) {
      for (const template of templatesOf(manifest, inputs)) {
        for (const { livenessProbe, readinessProbe } of template.containers) {
          containers += 1;
          liveness.set(livenessProbe, (liveness.get(livenessProbe) ?? 0) + 1);
          readiness.set(readinessProbe, (readiness.get(readinessProbe) ?? 0) + 1);
        }
        if (template.noMainContainer !== undefined) noMainContainer.push(template.noMainContainer);
      }
    }
  }
  return { containers, livenessProbe: countsOf(liveness), readinessProbe: countsOf(readiness), noMainContainer };
}

interface PlacedCoverage {
  readonly containers: ReturnType<typeof coverageOf>['containers'];
  readonly noMainContainer: NoMainContainer | undefined;
}

/** Empty for objects that the webhook would skip. */
function templatesOf({ object, document, path }: Manifest, inputs: Inputs): PlacedCoverage[] {
  const kind = workloadKindOfManifest(object, inputs.kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return [];
  const metadata = objectMember(object, 'metadata') ?? {};
  const namespace = stringMember(metadata, 'namespace') ?? inputs.namespace;
  const name = stringMember(metadata, 'name') ?? stringMember(metadata, 'generateName') ?? '';
  const itself = workloadNameOf(object, kind, false);
  return found.templates.map(({ template }) => {
    const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
    const { containers, noMainContainer } = coverageOf(
      template,
      inputs.policies.policyFor(namespace, labels, itself),
      kind,
    );
    if (noMainContainer === undefined) return { containers, noMainContainer };
    const { policies, detail: message } = noMainContainer;
    const place = { file: document.file, ...document.position(path) };
    return { containers, noMainContainer: { ...place, kind: kind.kind, namespace, name, policies, message } };
  });
}

function countsOf(covers: ReadonlyMap<ProbeCover, number>): ProbeCounts {
  const lacking = [...covers].filter((entry): entry is [LackReason, number] => !['have', 'get'].includes(entry[0]));
  return {
    have: covers.get('have') ?? 0,
    get: covers.get('get') ?? 0,
    lack: lacking.reduce((sum, [, containers]) => sum + containers, 0),
    reasons: Object.fromEntries(lacking.sort(([, a], [, b]) => b - a)),
  };
}
