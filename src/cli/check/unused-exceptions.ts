import {
  exceptionSpec,
  EXCEPTION_KIND,
  type ExceptionSpec,
  type ProbeException,
} from '../../engine/policy/probe-exception.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { quote } from '../../base/text/cut.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { clusterPlace } from '../input/cluster-object.ts';
import { workloadsIn } from '../input/manifest.ts';
import type { Manifests } from '../input/manifests.ts';
import { placeOfPolicy, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { World } from '../input/world.ts';
import { selects } from '../../engine/policy/label-selector.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import type { PlacedViolation } from './report.ts';

/**
 * A note for each exception that allows no violation of the inputs, with the name that was probably meant. An exception
 * counts only where the inputs have a workload of its namespace. If a cluster was read in part, the exception must name
 * workloads that were read.
 */
export function unusedExceptions(
  manifests: Manifests,
  world: World,
  violations: readonly PlacedViolation[],
): FileProblem[] {
  const { isPartial = false } = manifests;
  const { lists } = world.snapshot.facts.exceptions;
  if (lists.size === 0) return [];
  const used = new Set(
    violations.flatMap(({ namespace, exception, ended }) =>
      [exception, ended].flatMap((applied) => (applied === undefined ? [] : [`${namespace}/${applied.name}`])),
    ),
  );
  const byNamespace = Map.groupBy(workloadsIn(manifests, world), ({ namespace }) => namespace);
  return [...lists].flatMap(([namespace, exceptions]) => {
    const own = byNamespace.get(namespace) ?? [];
    const unused = exceptions.filter(
      (exception) =>
        !used.has(`${namespace}/${exception.name}`) &&
        isDecidable(exceptionSpec(exception), own, world.isFromCluster, isPartial),
    );
    const found = violations.filter((violation) => violation.namespace === namespace);
    return unused.flatMap((exception) => noteOn(exception, namespace, own, found, world) ?? []);
  });
}

/** In a cluster, Pods, ReplicaSets and Jobs of a controller are left out, and an exception may name them. */
const MADE_BY_CONTROLLERS: readonly string[] = ['Pod', 'ReplicaSet', 'Job'];

function isDecidable(
  { workloads: named }: ExceptionSpec,
  own: readonly Workload[],
  isFromCluster: boolean,
  isPartial: boolean,
): boolean {
  const isRead = (kind: string, name: string): boolean =>
    own.some((workload) => workload.kind.kind === kind && workload.name === name);
  if (own.length === 0) return false;
  if (isPartial) return named?.every(({ kind, name }) => isRead(kind, name)) ?? false;
  return (
    !isFromCluster || (named ?? []).every(({ kind, name }) => isRead(kind, name) || !MADE_BY_CONTROLLERS.includes(kind))
  );
}

function noteOn(
  exception: ProbeException,
  namespace: string,
  workloads: readonly Workload[],
  violations: readonly PlacedViolation[],
  world: World,
): FileProblem | undefined {
  const { field, why } = reasonOf(exceptionSpec(exception), workloads, violations);
  // Of a cluster, exceptions are facts without places.
  const metadata = { namespace, name: exception.name };
  const file = clusterPlace({ metadata }, { apiVersion: POLICY_API_VERSION, kind: EXCEPTION_KIND });
  const place = world.isFromCluster
    ? { file, line: 1, column: 1 }
    : placeOfPolicy(world.places, `${EXCEPTION_KIND}/${namespace}/${exception.name}`, ['spec', ...field]);
  const message = `note: ${EXCEPTION_KIND} ${namespace}/${exception.name} excepts nothing: ${why}`;
  return place && { ...place, message };
}

/** The field that matches nothing, and why. */
function reasonOf(
  { workloads: named, workloadSelector, containers, checks }: ExceptionSpec,
  workloads: readonly Workload[],
  violations: readonly PlacedViolation[],
): { readonly field: readonly (string | number)[]; readonly why: string } {
  const isMeant = (workload: Workload): boolean =>
    workloadSelector === undefined
      ? (named ?? []).some(({ kind, name }) => kind === workload.kind.kind && name === workload.name)
      : workload.pods.some(({ labels }) => selects(workloadSelector, labels));
  const meant = workloads.filter(isMeant);
  const [first] = named ?? [];
  if (meant.length === 0 && first !== undefined) {
    const known = workloads.map(({ kind, name }) => `${kind.kind}/${name}`);
    const word = `${first.kind}/${first.name}`;
    const why = `the inputs have no ${quote(word)} in its namespace${didYouMean(word, known)}`;
    return { field: ['workloads', 0], why };
  }
  if (meant.length === 0) return { field: ['workloadSelector'], why: 'it selects no workload of the inputs' };
  const names = meant.flatMap(({ pods }) => pods.flatMap(({ containers: all }) => all.map(({ name }) => name)));
  const stray = containers?.findIndex((name) => !names.includes(name)) ?? -1;
  if (containers !== undefined && stray >= 0) {
    const word = containers[stray] ?? '';
    return { field: ['containers', stray], why: `there is no container ${quote(word)}${didYouMean(word, names)}` };
  }
  const isOfMeant = ({ kind, name, check }: PlacedViolation): boolean =>
    checks.includes(check) && meant.some((workload) => workload.kind.kind === kind && workload.name === name);
  if (violations.some(isOfMeant)) return { field: ['checks'], why: 'a policy honours no exception from these checks' };
  return { field: ['checks'], why: `the inputs do not violate ${checks.join(', ')}; delete it` };
}
