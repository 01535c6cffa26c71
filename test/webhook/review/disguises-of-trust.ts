import { KNOWN_KINDS, type WorkloadKind } from '../../../src/engine/workload/kinds.ts';
import {
  DEFAULT_TRUSTED_CONTROLLERS,
  type TrustedControllers,
} from '../../../src/webhook/review/trusted-controllers.ts';
import { appContainer } from '../../support/worlds.ts';
import { DEPLOYMENT, objectOf, POD, type Disguise, type Type } from './disguise.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** An object with owners, and who creates it. */
interface Owned {
  readonly user: string;
  readonly object: Type;
  /** The owners with `controller: true`. */
  readonly owners: readonly Type[];
  /** Custom kinds of `workloadKinds`, as `[group, kind]`. */
  readonly kinds?: readonly (readonly [group: string, kind: string])[];
  readonly trusted?: Partial<TrustedControllers>;
}

const REPLICA_SET = ['apps/v1', 'ReplicaSet'] as const;
const STATEFUL_SET = ['apps/v1', 'StatefulSet'] as const;
const CONFIG_MAP = ['v1', 'ConfigMap'] as const;
const ROLLOUT = ['argoproj.io/v1alpha1', 'Rollout'] as const;
const FLEET = ['example.com/v1', 'Fleet'] as const;

/** Its second namespace is as much a tenant's as the first. */
const SECOND_NAMESPACE = 'system:serviceaccount:team-two:builder';
const ARGO_CD = 'system:serviceaccount:argocd:argocd-application-controller';
const IN_KUBE_SYSTEM = 'system:serviceaccount:kube-system:gitops-agent';
const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const KINDS = [
  ['argoproj.io', 'Rollout'],
  ['example.com', 'Fleet'],
] as const;

const name = ([apiVersion, kind]: readonly [string, string]): string => `${kind} of ${apiVersion}`;

/** The row of an object whose probe a floor on handlers forbids. */
function row({ user, object, owners, kinds = [], trusted }: Owned, answer: Disguise['answer'] = 'denied'): Disguise {
  const ownerReferences = owners.map(([apiVersion, kind]) => ({
    ...{ apiVersion, kind, name: 'mine', uid: 'u', controller: true },
  }));
  const withProbe = (readinessProbe: JsonObject): JsonObject =>
    objectOf(object, { containers: [appContainer({ readinessProbe })], metadata: { ownerReferences } });
  const custom = kinds.map(([group, kind]): WorkloadKind => {
    return { group, kind, templatePaths: [['spec', 'template']], runsToCompletion: false };
  });
  const accounts = trusted?.accounts === undefined ? '' : `, and ${trusted.accounts.join()} is trusted`;
  return {
    pretends: `a ${name(object)} is of ${owners.map(name).join(' and ')}, says ${user}${accounts}`,
    object: withProbe({ tcpSocket: { port: 'http' } }),
    honest: withProbe({ httpGet: { path: '/', port: 'http' } }),
    floors: { 'probe-handler': { allowed: ['httpGet'] } },
    ...{ answer, user },
    settings: { kinds: [...custom, ...KNOWN_KINDS], controllers: { ...DEFAULT_TRUSTED_CONTROLLERS, ...trusted } },
  };
}

/** Owners that nobody makes such objects for, whoever asks. */
const MADE_FOR_NOBODY = [
  ...[CONFIG_MAP, ['v1', 'Service'], ['v1', 'Node'], ['v1', 'Pod'], DEPLOYMENT, ['batch/v1', 'CronJob']].map(
    (owner) => [POD, owner] as const,
  ),
  ...[
    ['v1', 'ReplicaSet'],
    ['apps.k8s.io/v1', 'ReplicaSet'],
    ['', 'ReplicaSet'],
    ['apps/v1', ''],
  ].map((owner) => [POD, owner] as const),
  ...[REPLICA_SET, STATEFUL_SET, ['batch/v1', 'CronJob'], CONFIG_MAP].map((owner) => [REPLICA_SET, owner] as const),
  ...[DEPLOYMENT, REPLICA_SET, CONFIG_MAP].flatMap((owner) =>
    [DEPLOYMENT, STATEFUL_SET].map((object) => [object, owner] as const),
  ),
] as readonly (readonly [Type, Type])[];

/** Objects that are judged as if they had no owner, and those that a controller made. */
export const OF_TRUST: readonly Disguise[] = [
  ...[SECOND_NAMESPACE, ARGO_CD, 'system:serviceaccount:apps:builder', 'jane'].flatMap((user) =>
    [ROLLOUT, FLEET].flatMap((owner) =>
      [POD, REPLICA_SET, DEPLOYMENT].map((object) => row({ user, object, owners: [owner], kinds: KINDS })),
    ),
  ),
  ...[IN_KUBE_SYSTEM, CONTROLLER_MANAGER].flatMap((user) =>
    MADE_FOR_NOBODY.map(([object, owner]) => row({ user, object, owners: [owner] })),
  ),
  ...MADE_FOR_NOBODY.filter(([, [apiVersion]]) => !apiVersion.includes('.')).map(([object, owner]) =>
    row({ user: ARGO_CD, object, owners: [owner], trusted: { accounts: [ARGO_CD] } }),
  ),
  ...[IN_KUBE_SYSTEM, CONTROLLER_MANAGER].flatMap((user) => [
    row({ user, object: POD, owners: [REPLICA_SET, CONFIG_MAP] }),
    row({ user, object: POD, owners: [ROLLOUT], kinds: KINDS }),
    row({ user, object: POD, owners: [REPLICA_SET, FLEET], kinds: KINDS }),
  ]),
  // A star is no pattern, should one ever get past the flag.
  ...['*', 'system:serviceaccount:*', 'system:serviceaccount:team-*', 'system:serviceaccount:team-two:*'].map((star) =>
    row({ user: SECOND_NAMESPACE, object: POD, owners: [ROLLOUT], kinds: KINDS, trusted: { accounts: [star] } }),
  ),
  ...[CONTROLLER_MANAGER, 'system:serviceaccount:kube-system:replicaset-controller', ARGO_CD].flatMap((user) => [
    ...[REPLICA_SET, STATEFUL_SET, ['apps/v1', 'DaemonSet'], ['batch/v1', 'Job'], ['v1', 'ReplicationController']].map(
      (owner) => row({ user, object: POD, owners: [owner as Type], trusted: { accounts: [ARGO_CD] } }, 'allowed'),
    ),
    row({ user, object: REPLICA_SET, owners: [DEPLOYMENT], trusted: { accounts: [ARGO_CD] } }, 'allowed'),
    row(
      { user, object: ['batch/v1', 'Job'], owners: [['batch/v1', 'CronJob']], trusted: { accounts: [ARGO_CD] } },
      'allowed',
    ),
  ]),
  ...[POD, REPLICA_SET, DEPLOYMENT].map((object) =>
    row({ user: ARGO_CD, object, owners: [ROLLOUT], trusted: { accounts: [ARGO_CD] } }, 'allowed'),
  ),
];
