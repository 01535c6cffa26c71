import { OPT_OUT_LABEL, OPT_OUT_VALUE } from '../engine/policy/annotations.ts';
import { NATIVE_POLICY_NAME } from '../engine/policy/injection-tier.ts';
import { EXEMPT_NAMESPACES, NAMESPACE_NAME_LABEL } from '../engine/policy/policy-set.ts';
import { POLICY_API_VERSION } from '../engine/policy/object-names.ts';
import { MIRROR_POD_ANNOTATION } from '../engine/workload/kinds.ts';
import { ADMISSION_API } from './admission-kinds.ts';
import { celText } from './cel.ts';
import { LAW } from './law.ts';
import {
  CLUSTER_PARAM,
  clusterParam,
  namespaceParam,
  namespacesWithParam,
  PARAM,
  PARAM_CONDITIONS,
  PARAM_DEFINITION,
  PARAM_KIND,
  PARAM_VERSION,
  PARAM_VERSION_LABEL,
  paramObject,
} from './namespace-probes.ts';
import { PATCH } from './patch-law.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';

const OPT_OUT = { key: OPT_OUT_LABEL, operator: 'NotIn', values: [OPT_OUT_VALUE] };

/** What is allowed untouched. The chart has the same conditions for its webhooks (_match_conditions.tpl). */
export const UNTOUCHED: readonly JsonObject[] = [
  { name: 'not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' },
  {
    name: 'not-from-a-node',
    expression: "!has(request.userInfo.groups) || !('system:nodes' in request.userInfo.groups)",
  },
  {
    name: 'not-a-mirror-pod',
    expression: `!has(object.metadata.annotations) || !(${celText(MIRROR_POD_ANNOTATION)} in object.metadata.annotations)`,
  },
];

/** The namespaces that the webhooks of a chart without values see: not the exempt ones, nor those that opted out. */
export function reachedNamespaces(home: string): JsonObject {
  const exempt = [...new Set([...EXEMPT_NAMESPACES, home])];
  return { matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: exempt }, OPT_OUT] };
}

/** The one policy of the cluster. It is the same for everybody: what differs is data in its params. */
export const NATIVE_POLICY: JsonObject = {
  apiVersion: ADMISSION_API,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name: NATIVE_POLICY_NAME, labels: { [PARAM_VERSION_LABEL]: String(PARAM_VERSION) } },
  spec: {
    paramKind: { apiVersion: POLICY_API_VERSION, kind: PARAM_KIND },
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' },
      ],
      objectSelector: { matchExpressions: [OPT_OUT] },
    },
    matchConditions: [
      { name: PARAM_CONDITIONS.version, expression: `params.spec.version <= ${PARAM_VERSION}` },
      // Of two params, the one of the namespace counts.
      { name: PARAM_CONDITIONS.namespace, expression: '!(request.namespace in params.spec.except)' },
      ...UNTOUCHED,
    ],
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
    variables: LAW,
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: PATCH } }],
  },
};

const binding = (name: string, paramRef: JsonObject, home: string): JsonObject => ({
  apiVersion: ADMISSION_API,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: `${NATIVE_POLICY_NAME}-${name}` },
  spec: {
    policyName: NATIVE_POLICY_NAME,
    // One param by its name: several are evaluated alone, and in random order.
    paramRef: { ...paramRef, parameterNotFoundAction: 'Allow' },
    matchResources: { namespaceSelector: reachedNamespaces(home) },
  },
});

/**
 * The policy and its bindings. Their selectors are those of a chart without values.
 *
 * @param home the namespace of the cluster's param, which is exempt like the chart's own
 */
export function nativeTier(home: string): readonly [policy: JsonObject, ...bindings: JsonObject[]] {
  return [
    NATIVE_POLICY,
    binding('namespaces', { name: PARAM }, home),
    binding('others', { name: CLUSTER_PARAM, namespace: home }, home),
  ];
}

/**
 * The objects to apply: the kind of the params, the policy, a param for each namespace that has policies or telling
 * Services, one for all others, and the two bindings.
 */
export function nativeObjects(snapshot: Snapshot, home: string): readonly JsonObject[] {
  const namespaces = namespacesWithParam(snapshot);
  const [policy, ...bindings] = nativeTier(home);
  return [
    PARAM_DEFINITION,
    policy,
    paramObject(CLUSTER_PARAM, home, clusterParam(snapshot, namespaces)),
    ...namespaces.map((namespace) => paramObject(PARAM, namespace, namespaceParam(snapshot, namespace))),
    ...bindings,
  ];
}
