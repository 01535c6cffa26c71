import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { checkedWorkload, type CheckedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { servicesOfPod } from '../../../src/engine/facts/services.ts';
import { podTemplatesOf, workloadKindOfManifest, KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { NO_FACTS, type Facts } from '../../../src/engine/facts/facts.ts';
import { CollectedFacts } from '../../../src/cluster/sources/policy-documents.ts';
import { FACT_KINDS } from '../../../src/cluster/sources/fact-kinds.ts';
import { builtInPolicy, mergeChecks } from '../../../src/engine/policy/check-policy.ts';
import { appContainer, parsedPolicy, pod, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Finding } from '../../../src/engine/checks/check.ts';

/** The workload of a manifest as checks see it: after API defaulting, nothing injected. */
export function workloadOf(manifest: JsonObject, others?: readonly JsonObject[]): CheckedWorkload {
  const kind = workloadKindOfManifest(manifest, KNOWN_KINDS);
  const placed = kind && podTemplatesOf(manifest, kind)[0];
  if (kind === undefined || placed === undefined) throw new Error(`no Pod template in ${String(manifest['kind'])}`);
  const { namespace = 'default' } = (manifest['metadata'] ?? {}) as { readonly namespace?: string };
  const pod = readPod(placed.template, kind, placed.path);
  const facts = factsOf(others);
  const services = servicesOfPod(facts.services?.ofNamespace(namespace) ?? [], pod.labels);
  return checkedWorkload(pod, { object: manifest, namespace, facts, services });
}

/** The facts of these objects of a cluster, which name their namespaces; no facts without a list. */
export function factsOf(objects: readonly JsonObject[] | undefined): Facts {
  if (objects === undefined) return NO_FACTS;
  const collected = new CollectedFacts();
  for (const kind of FACT_KINDS) collected.addKind(kind);
  for (const object of objects) {
    const kind = FACT_KINDS.find((known) => known.kind === object['kind'] && known.apiVersion === object['apiVersion']);
    const read = kind?.read(object);
    const { namespace } = object['metadata'] as { readonly namespace: string };
    if (kind !== undefined && read !== undefined && read.problems === undefined)
      collected.add(kind, namespace, read.fact);
  }
  return collected.facts;
}

/** A finding with its path as it is printed. */
export type PrintedFinding = Omit<Finding, 'path'> & { readonly path: string };

export function printed(finding: Finding): PrintedFinding {
  return { ...finding, path: formatPath(finding.path) };
}

/**
 * What one check finds in a manifest under a policy with these parameters; only application containers and sidecars are shown to the check,
 * as the runner does.
 */
export function findings(
  id: string,
  manifest: JsonObject,
  parameters: JsonObject = {},
  others?: readonly JsonObject[],
): PrintedFinding[] {
  const check = CHECK_CATALOGUE[id];
  if (check === undefined) throw new Error(`no check ${id}`);
  const policy = parsedPolicy(policyDocument({ checks: { [id]: parameters } }));
  const values = mergeChecks(builtInPolicy(CHECK_CATALOGUE), [policy]).get(id)?.parameters ?? {};
  const workload = workloadOf(manifest, others);
  return workload.pod.containers
    .filter(({ role }) => check.everyContainer || role === 'application' || role === 'sidecar')
    .flatMap((container) => check.run(container, values, workload))
    .map(printed);
}

/** The only thing that a check finds; a test with none or several is wrong. */
export function onlyFinding(id: string, manifest: JsonObject, parameters: JsonObject = {}): PrintedFinding {
  const [first, ...others] = findings(id, manifest, parameters);
  if (first === undefined || others.length > 0)
    throw new Error(`${first ? 'several findings' : 'no finding'} of ${id}`);
  return first;
}

/** A Pod with one container `app`, with an http port, and these members. */
export function podWith(container: JsonObject, spec: JsonObject = {}): JsonObject {
  return pod([appContainer(container)], { spec });
}

/** A Deployment of one container `app`, with an http port, and these members. */
export function deploymentWith(container: JsonObject, spec: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      ...spec,
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [appContainer(container)], ...podSpec } },
    },
  };
}

/** An httpGet probe of the container's http port. */
export function httpProbe(integers: JsonObject = {}, path = '/live'): JsonObject {
  return { httpGet: { path, port: 'http' }, ...integers };
}
