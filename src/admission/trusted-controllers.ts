import { hasControllerOwner } from '../workload/kinds.ts';
import type { JsonObject } from '../probes/json.ts';

/** Whose controller references are believed, beside those of Kubernetes' own controllers. */
export interface TrustedControllers {
  /** User names; one that ends in `*` stands for all that begin so. */
  readonly accounts: readonly string[];
  /** Service accounts of other namespaces than the object's: operators run in a namespace of their own. */
  readonly foreignServiceAccounts: boolean;
}

/** What holds unless the server is told otherwise. */
export const DEFAULT_TRUSTED_CONTROLLERS: TrustedControllers = { accounts: [], foreignServiceAccounts: true };

/** kube-controller-manager: one user, or one service account in kube-system for each controller (`--use-service-account-credentials`). */
const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const SYSTEM_NAMESPACE = 'kube-system';

/** Who asks, and for what object. */
export interface Requester {
  readonly userName: string;
  readonly namespace: string;
  readonly object: JsonObject | undefined;
}

/**
 * True when a controller made the object: an owner reference says so, and the requester can be that controller. Every user with `edit` may write a
 * reference, so a reference alone proves nothing.
 */
export function isControlled({ userName, namespace, object }: Requester, trusted: TrustedControllers): boolean {
  return object !== undefined && hasControllerOwner(object) && canBeController(userName, namespace, trusted);
}

function canBeController(userName: string, namespace: string, trusted: TrustedControllers): boolean {
  if (userName === CONTROLLER_MANAGER || trusted.accounts.some((account) => isAccount(userName, account))) return true;
  const own = serviceAccountNamespace(userName);
  if (own === undefined) return false;
  return own === SYSTEM_NAMESPACE || (trusted.foreignServiceAccounts && own !== namespace);
}

function isAccount(userName: string, account: string): boolean {
  return account.endsWith('*') ? userName.startsWith(account.slice(0, -1)) : userName === account;
}

/** The namespace of a service account's user name, `system:serviceaccount:<namespace>:<name>` (k8s.io/apiserver, serviceaccount/util.go). */
function serviceAccountNamespace(userName: string): string | undefined {
  if (!userName.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace, name, ...others] = userName.slice(SERVICE_ACCOUNT.length).split(':');
  return namespace === undefined || namespace === '' || name === undefined || name === '' || others.length > 0
    ? undefined
    : namespace;
}
