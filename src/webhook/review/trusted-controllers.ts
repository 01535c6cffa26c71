import { controllerOwners, hasControllerOwner, isKubernetesKind } from '../../engine/workload/controller-owner.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The accounts whose controller references Probewright trusts, in addition to Kubernetes' own controllers. */
export interface TrustedControllers {
  /** User names. A name that ends in `*` matches all user names with that prefix. */
  readonly accounts: readonly string[];
  /**
   * Trusts service accounts of other namespaces than the object's for owners of custom kinds. Operators run in their
   * own namespace, and own what they make with their own kinds.
   */
  readonly foreignServiceAccounts: boolean;
}

/** The default of the server settings. */
export const DEFAULT_TRUSTED_CONTROLLERS: TrustedControllers = { accounts: [], foreignServiceAccounts: true };

/**
 * kube-controller-manager: one user, or one service account in kube-system for each controller
 * (`--use-service-account-credentials`).
 */
const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const SYSTEM_NAMESPACE = 'kube-system';

/** The user who sends a request, and the object of the request. */
export interface Requester {
  readonly userName: string;
  readonly namespace: string;
  readonly object: JsonObject | undefined;
}

/**
 * True if a controller made the object: the object has an owner reference, and the requester can be that controller. A
 * reference alone proves nothing, because every user with `edit` may write a reference.
 */
export function isControlled({ userName, namespace, object }: Requester, trusted: TrustedControllers): boolean {
  if (object === undefined || !hasControllerOwner(object)) return false;
  if (isControllerManager(userName) || trusted.accounts.some((account) => isAccount(userName, account))) return true;
  // Kubernetes' own controllers make what its kinds own. Otherwise an admin of another namespace could dodge a floor.
  const isForeign = ![undefined, namespace].includes(serviceAccountNamespace(userName));
  return isForeign && trusted.foreignServiceAccounts && !controllerOwners(object).some(isKubernetesKind);
}

/**
 * True if a service account creates an object with a controller reference that does not count. The account may be an
 * operator that `trustedControllers` should list, so the log names it.
 */
export function looksLikeController(
  requester: Requester & { readonly operation: string },
  trusted: TrustedControllers,
): boolean {
  const { userName, object, operation } = requester;
  if (operation !== 'CREATE' || serviceAccountNamespace(userName) === undefined) return false;
  return object !== undefined && hasControllerOwner(object) && !isControlled(requester, trusted);
}

/**
 * True if one of kube-controller-manager's own accounts made an object that has a controller. No setting changes the
 * result, so a match condition of the chart's webhook configurations can test the same rule
 * (charts/probewright/templates/_match_conditions.tpl).
 */
export function isControlledByControllerManager({ userName, object }: Requester): boolean {
  return object !== undefined && isControllerManager(userName) && hasControllerOwner(object);
}

/** True for kube-controller-manager's own accounts. */
export function isControllerManager(userName: string): boolean {
  return userName === CONTROLLER_MANAGER || serviceAccountNamespace(userName) === SYSTEM_NAMESPACE;
}

function isAccount(userName: string, account: string): boolean {
  return account.endsWith('*') ? userName.startsWith(account.slice(0, -1)) : userName === account;
}

/**
 * The namespace in a service account's user name, `system:serviceaccount:<namespace>:<name>` (k8s.io/apiserver,
 * serviceaccount/util.go).
 */
function serviceAccountNamespace(userName: string): string | undefined {
  if (!userName.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace, name, ...others] = userName.slice(SERVICE_ACCOUNT.length).split(':');
  return namespace === undefined || namespace === '' || name === undefined || name === '' || others.length > 0
    ? undefined
    : namespace;
}
