import { selects } from '../../engine/policy/label-selector.ts';
import { NAMESPACE_NAME_LABEL } from '../../engine/policy/policy-set.ts';
import { placeOfPolicy, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import type { World } from './world.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** True where labels decide whether a policy selects a namespace, and no Namespace object of the files has them. */
export function isUnasked(
  { namespaceSelector = [] }: ProbePolicy,
  namespace: string,
  { isFromCluster, snapshot }: World,
): boolean {
  if (isFromCluster || snapshot.facts.namespaceLabels.has(namespace)) return false;
  const ofName = namespaceSelector.filter(({ key }) => key === NAMESPACE_NAME_LABEL);
  return ofName.length < namespaceSelector.length && selects(ofName, new Map([[NAMESPACE_NAME_LABEL, namespace]]));
}

/** More names than these are not listed. */
const MOST_NAMES = 3;

const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and others`;

/** A note for policies whose namespaceSelector cannot be asked, with what to add to the inputs. */
export function unaskedSelectors(
  workloads: readonly Pick<Workload, 'namespace'>[],
  world: World,
): readonly FileProblem[] {
  const namespaces = new Set(workloads.map(({ namespace }) => namespace));
  const bySource = new Map(
    [...world.snapshot.policies, ...world.applied.policies].map((policy) => [policy.source, policy]),
  );
  const unasked = [...bySource.values()].flatMap((policy) => {
    const { source, namespaceSelector = [] } = policy;
    const unknown = [...namespaces].filter((namespace) => isUnasked(policy, namespace, world));
    if (unknown.length === 0) return [];
    const others = namespaceSelector.filter(({ key }) => key !== NAMESPACE_NAME_LABEL);
    const [whose, it] = unknown.length === 1 ? ['the namespace', 'it'] : ['the namespaces', 'them'];
    const counts = `${selects(others, NO_LABELS) ? 'selects' : 'does not select'} ${it}`;
    const command = `kubectl get ${unknown.length <= MOST_NAMES ? `namespace ${unknown.join(' ')}` : 'namespaces'} -o yaml`;
    const text = `no input has the labels of ${whose} ${listed(unknown)}, so the namespaceSelector ${counts}; add a file with the output of: ${command}`;
    return [{ source, text }];
  });
  // A cluster may have a policy for each tier: policies with the same answer are one note, at the first of them.
  return [...Map.groupBy(unasked, ({ text }) => text)].flatMap(([text, same]) => {
    const message = `note: ${listed(same.map(({ source }) => source))}: ${text}`;
    const place = placeOfPolicy(world.places, same[0]?.source ?? '', ['spec', 'namespaceSelector']);
    return place === undefined ? [] : [{ ...place, message }];
  });
}
