import { DNS_LABEL, POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { controllerOwners, isKubernetesKind, isMadeByKubernetes } from '../../engine/workload/workload-of-pod.ts';
import type { AdmissionRequest } from './decision.ts';

/** The accounts whose controller references Probewright trusts, in addition to Kubernetes' own controllers. */
export interface TrustedControllers {
  /** Whole user names: see `isAccountName`. */
  readonly accounts: readonly string[];
  /** For owners of custom kinds, trusts service accounts of other namespaces except for floors. */
  readonly foreignServiceAccounts: boolean;
}

export const DEFAULT_TRUSTED_CONTROLLERS: TrustedControllers = { accounts: [], foreignServiceAccounts: true };

/**
 * Regular expressions of account names, in words that Go knows, too: the chart refuses the same names. A name that
 * begins as a service account's has to be one whole (k8s.io/apiserver, serviceaccount/util.go). `never` finds patterns,
 * spaces, and names of groups and of everybody (k8s.io/apiserver, authentication/user/user.go).
 */
export const ACCOUNT_NAMES = {
  serviceAccount: `^system:serviceaccount:${DNS_LABEL}:${DNS_LABEL}([.]${DNS_LABEL})*$`,
  never:
    '^$|[*,\\p{Z}\\p{C}]|:$|^system:(anonymous|authenticated|unauthenticated|masters|monitoring|nodes|bootstrappers(:.*)?)$',
} as const;
const SERVICE_ACCOUNT = new RegExp(ACCOUNT_NAMES.serviceAccount, 'u');
const NEVER = new RegExp(ACCOUNT_NAMES.never, 'u');

/** True for a name that one account can have: no pattern, no group, and not everybody's. */
export function isAccountName(name: string): boolean {
  return !NEVER.test(name) && (!name.startsWith('system:serviceaccount') || SERVICE_ACCOUNT.test(name));
}

/** One user, or one service account in kube-system for each controller (`--use-service-account-credentials`). */
const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SYSTEM_NAMESPACE = 'kube-system';

type Requester = Pick<AdmissionRequest, 'userName' | 'namespace' | 'kind' | 'object'>;

/**
 * How far a controller reference counts, which every user with `edit` may write. `full`: the owner was judged.
 * `not-for-floors`: a tenant may have written it, and Argo CD, Flux or an account of another namespace applies it.
 */
export type Trust = 'full' | 'not-for-floors' | 'none';

/** A reference counts only if the requester can be the controller, and the controller makes such objects. */
export function trustIn(request: Requester, { accounts, foreignServiceAccounts }: TrustedControllers): Trust {
  const { userName, namespace, kind, object } = request;
  const owners = controllerOwners(object ?? {});
  if (owners.length === 0 || owners.some(({ apiVersion }) => groupOfVersion(apiVersion) === POLICY_GROUP))
    return 'none';
  if (isControlledByControllerManager(request)) return 'full';
  // All that is made for an owner of a group without a dot is known: such groups are Kubernetes' own.
  const isPossible = owners.every(
    (owner) => groupOfVersion(owner.apiVersion).includes('.') || isMadeByKubernetes(owner, kind),
  );
  if (isPossible && accounts.includes(userName)) return 'full';
  // A tenant of two namespaces writes the references of both, so the owner's kind proves nothing against floors.
  const isForeign = ![undefined, namespace].includes(serviceAccountNamespace(userName));
  return isForeign && foreignServiceAccounts && !owners.some(isKubernetesKind) ? 'not-for-floors' : 'none';
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
  if (controllerOwners(object ?? {}).length === 0) return false;
  return isDenied || trustIn(request, trusted) === 'none';
}

/**
 * No setting changes the result, so a match condition of the chart's webhook configurations can test the same rule
 * (charts/probewright/templates/_match_conditions.tpl).
 */
export function isControlledByControllerManager({ userName, kind, object }: Requester): boolean {
  const owners = controllerOwners(object ?? {});
  return isControllerManager(userName) && owners.length > 0 && owners.every((owner) => isMadeByKubernetes(owner, kind));
}

export function isControllerManager(userName: string): boolean {
  return userName === CONTROLLER_MANAGER || serviceAccountNamespace(userName) === SYSTEM_NAMESPACE;
}

/** Of `system:serviceaccount:<namespace>:<name>` (k8s.io/apiserver, serviceaccount/util.go), of the API's lengths. */
export function serviceAccountNamespace(userName: string): string | undefined {
  return /^system:serviceaccount:([^:]{1,63}):[^:]{1,253}$/.exec(userName)?.[1];
}
