import { POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { groupOfVersion, isReadyMade, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { controllerOwners, hasControllerOwner, isKubernetesKind } from '../../engine/workload/workload-of-pod.ts';
import type { AdmissionRequest } from './decision.ts';

/** The accounts whose controller references Probewright trusts, in addition to Kubernetes' own controllers. */
export interface TrustedControllers {
  /** User names. A name that ends in `*` matches all user names with that prefix. */
  readonly accounts: readonly string[];
  /** For owners of custom kinds, trusts service accounts of other namespaces: operators run in their own. */
  readonly foreignServiceAccounts: boolean;
}

export const DEFAULT_TRUSTED_CONTROLLERS: TrustedControllers = { accounts: [], foreignServiceAccounts: true };

/** One user, or one service account in kube-system for each controller (`--use-service-account-credentials`). */
const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SYSTEM_NAMESPACE = 'kube-system';

type Requester = Pick<AdmissionRequest, 'userName' | 'namespace' | 'object'>;

/**
 * How far a controller reference counts, which every user with `edit` may write. `full`: the owner was judged.
 * `not-for-floors`: nobody knows the owner's kind, so a tenant may have invented it; Argo CD and Flux apply it.
 */
export type Trust = 'full' | 'not-for-floors' | 'none';

/** @param kinds the kinds that are judged. A ready-made one is not, unless the configuration has it */
export function trustIn(
  { userName, namespace, object }: Requester,
  trusted: TrustedControllers,
  kinds: readonly WorkloadKind[],
): Trust {
  const owners = controllerOwners(object ?? {}).map((owner) => ({ ...owner, group: groupOfVersion(owner.apiVersion) }));
  if (owners.length === 0 || owners.some(({ group }) => group === POLICY_GROUP)) return 'none';
  if (trusted.accounts.some((account) => isAccount(userName, account))) return 'full';
  if (isControllerManager(userName) && owners.every(isKubernetesKind)) return 'full';
  // Kubernetes' own controllers make what its kinds own. Otherwise an admin of another namespace could dodge a floor.
  const isForeign = ![undefined, namespace].includes(serviceAccountNamespace(userName));
  if (!isForeign || !trusted.foreignServiceAccounts || owners.some(isKubernetesKind)) return 'none';
  const isJudged = (known: WorkloadKind | undefined): boolean => known !== undefined && !isReadyMade(known);
  return owners.every(({ group, kind }) => isJudged(workloadKind(group, kind, kinds))) ? 'full' : 'not-for-floors';
}

/**
 * True for a service account that may be an operator that `trustedControllers` should list: the log names it.
 *
 * @param isDenied whether the request was denied, as objects of a trusted controller are not
 */
export function looksLikeController(
  request: Requester & Pick<AdmissionRequest, 'operation'>,
  trusted: TrustedControllers,
  isDenied: boolean,
): boolean {
  const { userName, object, operation } = request;
  if (operation !== 'CREATE' || serviceAccountNamespace(userName) === undefined) return false;
  if (object === undefined || !hasControllerOwner(object)) return false;
  return isDenied || trustIn(request, trusted, []) === 'none';
}

/**
 * No setting changes the result, so a match condition of the chart's webhook configurations can test the same rule
 * (charts/probewright/templates/_match_conditions.tpl).
 */
export function isControlledByControllerManager({ userName, object }: Requester): boolean {
  const owners = controllerOwners(object ?? {});
  return isControllerManager(userName) && owners.length > 0 && owners.every(isKubernetesKind);
}

export function isControllerManager(userName: string): boolean {
  return userName === CONTROLLER_MANAGER || serviceAccountNamespace(userName) === SYSTEM_NAMESPACE;
}

function isAccount(userName: string, account: string): boolean {
  return account.endsWith('*') ? userName.startsWith(account.slice(0, -1)) : userName === account;
}

/** Of `system:serviceaccount:<namespace>:<name>` (k8s.io/apiserver, serviceaccount/util.go). */
function serviceAccountNamespace(userName: string): string | undefined {
  return /^system:serviceaccount:([^:]+):[^:]+$/.exec(userName)?.[1];
}
