import { explainManifest } from '../../src/explain/timeline/explain-manifest.ts';
import { KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { NOW } from '../support/now.ts';
import { appContainer, policySet } from '../support/worlds.ts';
import type { ContainerExplanation, WorkloadExplanation } from '../../src/explain/timeline/explanation.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { ReportedWorkload } from '../../src/explain/fleet-page/report.ts';
import type { Violation } from '../../src/engine/checks/violation.ts';

/** The explanation of a Pod with these containers, which are `app`, `app-1` and so on, with a port `http`. */
export function explainedPod(
  containers: readonly JsonObject[],
  {
    metadata = {},
    spec = {},
    policies = policySet(),
  }: Partial<Record<'metadata' | 'spec', JsonObject>> & {
    readonly policies?: ReturnType<typeof policySet>;
  } = {},
): WorkloadExplanation {
  const named = containers.map((fields, index) => ({
    ...appContainer({ name: index === 0 ? 'app' : `app-${index}` }),
    ...fields,
  }));
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'web', labels: { app: 'web' }, ...metadata },
    spec: { ...spec, containers: named },
  };
  const settings = { snapshot: policies, namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  const workload = explainManifest(pod, 'a.yaml:1:1', settings);
  if (workload === undefined) throw new Error('no workload');
  return workload;
}

/** The explanation of one container. */
export function explainedContainer(fields: JsonObject, spec: JsonObject = {}): ContainerExplanation {
  const [container] = explainedPod([fields], { spec }).containers;
  if (container === undefined) throw new Error('no container');
  return container;
}

/** A workload of a report: a Pod without probes and without findings, but for what is given. */
export function reported(
  { name = 'web', namespace = 'apps', kind = 'Pod', containers = [{}] as readonly JsonObject[] } = {},
  others: Partial<ReportedWorkload> = {},
): ReportedWorkload {
  const explanation = { ...explainedPod(containers, { metadata: { name, namespace } }), kind };
  return { explanation, violations: [], policies: [], warnings: [], live: [], ...others };
}

/** A finding of a check at the level `Deny`, `Warn`, `Audit` or `Excepted`. */
export function finding(action: Violation['action'], check = 'named-port', others: Partial<Violation> = {}): Violation {
  return {
    check,
    action,
    container: 'app',
    path: ['spec', 'containers', 0],
    message: `${check} is violated`,
    ...others,
  };
}
