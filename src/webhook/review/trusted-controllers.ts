import { controllerOwners, hasControllerOwner, isKubernetesKind } from '../../engine/workload/workload-of-pod.ts';
import type { AdmissionRequest } from './review.ts';

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

/** True if the requester can be the controller in an owner reference, which every user with `edit` may write. */
export function isControlled({ userName, namespace, object }: Requester, trusted: TrustedControllers): boolean {
  if (object === undefined || !hasControllerOwner(object)) return false;
  if (isControllerManager(userName) || trusted.accounts.some((account) => isAccount(userName, account))) return true;
  // Kubernetes' own controllers make what its kinds own. Otherwise an admin of another namespace could dodge a floor.
  const isForeign = ![undefined, namespace].includes(serviceAccountNamespace(userName));
  return isForeign && trusted.foreignServiceAccounts && !controllerOwners(object).some(isKubernetesKind);
}

/** True for a service account that may be an operator that `trustedControllers` should list: the log names it. */
export function looksLikeController(
  request: Requester & Pick<AdmissionRequest, 'operation'>,
  trusted: TrustedControllers,
): boolean {
  const { userName, object, operation } = request;
  if (operation !== 'CREATE' || serviceAccountNamespace(userName) === undefined) return false;
  return object !== undefined && hasControllerOwner(object) && !isControlled(request, trusted);
}

/**
 * No setting changes the result, so a match condition of the chart's webhook configurations can test the same rule
 * (charts/probewright/templates/_match_conditions.tpl).
 */
export function isControlledByControllerManager({ userName, object }: Requester): boolean {
  return object !== undefined && isControllerManager(userName) && hasControllerOwner(object);
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
