import { layersWithProbes } from '../../engine/policy/container-policy.ts';
import { selects } from '../../engine/policy/label-selector.ts';
import { NAMESPACE_NAME_LABEL } from '../../engine/policy/policy-set.ts';
import { workloadsIn } from './manifest.ts';
import { placeOfPolicy, type Inputs } from './inputs.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Pod } from '../../engine/workload/pod.ts';

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** True where labels decide whether a policy selects a namespace, and no Namespace object of the files has them. */
function isUnasked({ namespaceSelector = [] }: ProbePolicy, namespace: string, { isFromCluster, policies }: Inputs) {
  if (isFromCluster || policies.facts.namespaceLabels.has(namespace)) return false;
  const ofName = namespaceSelector.filter(({ key }) => key === NAMESPACE_NAME_LABEL);
  return ofName.length < namespaceSelector.length && selects(ofName, new Map([[NAMESPACE_NAME_LABEL, namespace]]));
}

/** True where a policy that asks for probes may select a Pod, if only the labels of its namespace were known. */
export function mayGiveProbes(pod: Pod, namespace: string, inputs: Inputs): boolean {
  return layersWithProbes(inputs.policies.policies).some(
    (policy) => selects(policy.workloadSelector ?? [], pod.labels) && isUnasked(policy, namespace, inputs),
  );
}

/** More names than these are not listed. */
const MOST_NAMES = 3;

const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and others`;

/** A note for policies whose namespaceSelector cannot be asked, with what to add to the inputs. */
export function unaskedSelectors(inputs: Inputs): readonly FileProblem[] {
  const namespaces = new Set(workloadsIn(inputs).map(({ namespace }) => namespace));
  const bySource = new Map(
    [...inputs.policies.policies, ...inputs.newPolicies.policies].map((policy) => [policy.source, policy]),
  );
  const unasked = [...bySource.values()].flatMap((policy) => {
    const { source, namespaceSelector = [] } = policy;
    const unknown = [...namespaces].filter((namespace) => isUnasked(policy, namespace, inputs));
    const place = placeOfPolicy(inputs, source, ['spec', 'namespaceSelector']);
    if (unknown.length === 0 || place === undefined) return [];
    const others = namespaceSelector.filter(({ key }) => key !== NAMESPACE_NAME_LABEL);
    const [whose, it] = unknown.length === 1 ? ['the namespace', 'it'] : ['the namespaces', 'them'];
    const counts = `${selects(others, NO_LABELS) ? 'selects' : 'does not select'} ${it}`;
    const command = `kubectl get ${unknown.length <= MOST_NAMES ? `namespace ${unknown.join(' ')}` : 'namespaces'} -o yaml`;
    const text = `no input has the labels of ${whose} ${listed(unknown)}, so the namespaceSelector ${counts}; add a file with the output of: ${command}`;
    return [{ source, place, text }];
  });
  // A cluster may have a policy for each tier: policies with the same answer are one note, at the first of them.
  return [...Map.groupBy(unasked, ({ text }) => text)].flatMap(([text, same]) =>
    same
      .slice(0, 1)
      .map(({ place }) => ({ ...place, message: `note: ${listed(same.map(({ source }) => source))}: ${text}` })),
  );
}
