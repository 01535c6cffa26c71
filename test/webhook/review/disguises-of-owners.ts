import { appContainer } from '../../support/worlds.ts';
import { DEPLOYMENT, objectOf, POD, type Disguise, type Parts, type Type } from './disguise.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Who applies what a tenant has written, and the owners that a tenant may write. */
const APPLIERS = [
  'jane',
  'system:serviceaccount:argocd:argocd-application-controller',
  'system:serviceaccount:flux-system:kustomize-controller',
  'system:serviceaccount:apps:ci',
];
const OWNERS: readonly Type[] = [
  ['example.com/v1', 'Invented'],
  ['probewright.dev/v1alpha1', 'ProbePolicy'],
  ['argoproj.io/v1alpha1', 'Application'],
  ['argoproj.io/v1alpha1', 'Rollout'],
  DEPLOYMENT,
  ['v1', 'ConfigMap'],
  ['batch/v1', 'Job'],
];
const SERVING: readonly Type[] = [
  DEPLOYMENT,
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['apps/v1', 'ReplicaSet'],
  ['v1', 'ReplicationController'],
];

const readinessProbe = { httpGet: { path: '/', port: 'http' } };

/** An object that a controller of that kind owns, as its metadata say. */
export const ownedBy = ([apiVersion, kind]: Type): JsonObject => ({
  ownerReferences: [{ apiVersion, kind, name: 'mine', uid: 'u', controller: true }],
});

/** The object without a readiness probe, and with one. */
function lacking(of: Type, members: JsonObject, parts: Parts): Pick<Disguise, 'object' | 'honest' | 'answer'> {
  const made = (more: JsonObject): JsonObject =>
    objectOf(of, { ...parts, containers: [appContainer({ ...members, ...more })] });
  return { object: made({}), honest: made({ readinessProbe }), answer: 'denied' };
}

/** Objects that pretend to be made by a controller, or to run to completion. */
export const OF_OWNERS: readonly Disguise[] = [
  ...APPLIERS.flatMap((user) =>
    OWNERS.flatMap((owner) =>
      [POD, DEPLOYMENT].map((of) => ({
        pretends: `a ${of[1]} is of ${owner.join(' ')}, says ${user}`,
        user,
        ...lacking(of, {}, { metadata: ownedBy(owner) }),
      })),
    ),
  ),
  ...['OnFailure', 'Never'].flatMap((restartPolicy) =>
    SERVING.map((of) => ({
      pretends: `a container of a ${of[1]} ends, says its restartPolicy ${restartPolicy}`,
      ...lacking(of, { restartPolicy }, {}),
    })),
  ),
];
