import { OPT_OUT_LABEL, OPT_OUT_VALUE } from '../engine/policy/annotations.ts';
import { OPERATORS } from '../engine/policy/label-selector.ts';
import { NAMESPACE_NAME_LABEL } from '../engine/policy/policy-set.ts';
import { POLICY_API_VERSION, POLICY_GROUP } from '../engine/policy/object-names.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../engine/probe/probe.ts';
import { LAW } from './law.ts';
import { layersOf, type NativeLayer } from './namespace-layers.ts';
import { MOST_SERVICE_PORTS, servicePortsOf, type ServicePorts } from './service-ports.ts';
import { PATCH } from './patch-law.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';

/** The API with MutatingAdmissionPolicy v1, which is on by default since Kubernetes 1.36. */
const API = 'admissionregistration.k8s.io/v1';
const NAME = 'probewright-inject';
const PARAM_KIND = 'NamespaceProbes';
const PARAM = 'effective';
const CLUSTER_PARAM = 'cluster';

/** The namespaces that the chart's webhook never asks about. */
const EXEMPT_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];

/** The one policy of the cluster. It is the same for everybody: what differs is data in its params. */
export const NATIVE_POLICY: JsonObject = {
  apiVersion: API,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name: NAME },
  spec: {
    paramKind: { apiVersion: POLICY_API_VERSION, kind: PARAM_KIND },
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' },
      ],
      objectSelector: { matchExpressions: [{ key: OPT_OUT_LABEL, operator: 'NotIn', values: [OPT_OUT_VALUE] }] },
    },
    // The chart has the same conditions for its webhook (_match_conditions.tpl).
    matchConditions: [
      { name: 'not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' },
      {
        name: 'not-from-a-node',
        expression: "!has(request.userInfo.groups) || !('system:nodes' in request.userInfo.groups)",
      },
      {
        name: 'not-a-mirror-pod',
        expression:
          "!has(object.metadata.annotations) || !('kubernetes.io/config.mirror' in object.metadata.annotations)",
      },
    ],
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
    variables: LAW,
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: PATCH } }],
  },
};

const text = (maxLength = 253): JsonObject => ({ type: 'string', maxLength });
const listOf = (items: JsonObject, maxItems: number): JsonObject => ({ type: 'array', maxItems, items });
const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  required,
  properties,
});

const SELECTOR = listOf(
  object({ key: text(317), operator: { type: 'string', enum: OPERATORS }, values: listOf(text(63), 64) }),
  128,
);
const COUNT = { type: 'integer', format: 'int64', minimum: 0 };
const FLAG = { type: 'boolean' };

/** More layers would cost too much for a Pod with many containers (test/native/cost.alone.test.ts). */
export const MOST_LAYERS = 50;

const LAYER_SCHEMA = object(
  {
    source: text(520),
    aimed: FLAG,
    containers: listOf(text(63), 64),
    images: listOf(text(600), 64),
    workloadSelector: SELECTOR,
    namespaceSelector: SELECTOR,
    probes: listOf(
      object(
        {
          probe: { type: 'string', enum: PROBE_KINDS },
          removed: FLAG,
          integers: { type: 'object', additionalProperties: COUNT },
          handler: object({
            kind: { type: 'string', enum: HANDLER_KINDS },
            fields: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            usable: FLAG,
            tools: FLAG,
          }),
        },
        ['probe', 'removed', 'integers'],
      ),
      PROBE_KINDS.length,
    ),
    annotations: { type: 'string', enum: ['Allow', 'Ignore'] },
    closed: FLAG,
    requires: FLAG,
    port: { 'x-kubernetes-int-or-string': true },
    startupSeconds: COUNT,
    fromInitialDelaySeconds: COUNT,
    learned: FLAG,
  },
  ['source', 'aimed', 'containers', 'images', 'workloadSelector', 'namespaceSelector', 'probes'],
);

const PORTS = listOf({ 'x-kubernetes-int-or-string': true }, MOST_SERVICE_PORTS);
const SERVICE_SCHEMA = object({
  labels: { type: 'object', additionalProperties: text(63) },
  other: PORTS,
  noTcp: PORTS,
});
/** Of a namespace, those that say something against probes. */
const MOST_SERVICES = 1000;

/** The kind of the params. Whoever may write them decides about probes: no role for tenants has them. */
export const PARAM_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `namespaceprobes.${POLICY_GROUP}` },
  spec: {
    group: POLICY_GROUP,
    names: {
      kind: PARAM_KIND,
      listKind: `${PARAM_KIND}List`,
      plural: 'namespaceprobes',
      singular: 'namespaceprobes',
      categories: ['probewright'],
    },
    scope: 'Namespaced',
    versions: [
      {
        name: POLICY_API_VERSION.slice(POLICY_GROUP.length + 1),
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            description: 'The merged layers of policies for a namespace, highest first. probewright export writes it.',
            ...object(
              {
                apiVersion: text(),
                kind: text(),
                metadata: { type: 'object' },
                spec: object({
                  layers: listOf(LAYER_SCHEMA, MOST_LAYERS),
                  services: listOf(SERVICE_SCHEMA, MOST_SERVICES),
                }),
              },
              ['spec'],
            ),
          },
        },
      },
    ],
  },
};

const param = (
  name: string,
  namespace: string,
  layers: readonly NativeLayer[],
  services: readonly ServicePorts[],
): JsonObject => ({
  apiVersion: POLICY_API_VERSION,
  kind: PARAM_KIND,
  metadata: { name, namespace },
  spec: { layers, services },
});

const binding = (name: string, paramRef: JsonObject, without: readonly string[]): JsonObject => ({
  apiVersion: API,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: `${NAME}-${name}` },
  spec: {
    policyName: NAME,
    // One param by its name: several are evaluated alone, and in random order.
    paramRef: { ...paramRef, parameterNotFoundAction: 'Allow' },
    matchResources: {
      namespaceSelector: { matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: without }] },
    },
  },
});

/**
 * The objects to apply: the kind of the params, the policy, a param for each namespace that has policies or telling
 * Services, one for all others, and the two bindings.
 *
 * @param home the namespace of the cluster's param, which is exempt like the chart's own
 */
export function nativeObjects(snapshot: Snapshot, home: string): readonly JsonObject[] {
  const withServices = [...(snapshot.facts.services?.lists.keys() ?? [])].filter(
    (namespace) => servicePortsOf(snapshot, namespace).length > 0,
  );
  const withPolicies = snapshot.tiers.flatMap(({ byNamespace }) => [...byNamespace.keys()]);
  const namespaces = [...new Set([...withPolicies, ...withServices])].sort();
  const exempt = [...new Set([...EXEMPT_NAMESPACES, home])];
  return [
    PARAM_DEFINITION,
    NATIVE_POLICY,
    param(CLUSTER_PARAM, home, layersOf(snapshot), []),
    ...namespaces.map((namespace) =>
      param(PARAM, namespace, layersOf(snapshot, namespace), servicePortsOf(snapshot, namespace)),
    ),
    binding('namespaces', { name: PARAM }, exempt),
    binding('others', { name: CLUSTER_PARAM, namespace: home }, [...exempt, ...namespaces]),
  ];
}

/** The namespaces whose layers are too many, with their number. The empty name stands for the cluster's layers. */
export function tooManyLayers(snapshot: Snapshot): readonly (readonly [namespace: string, layers: number])[] {
  const namespaces = ['', ...snapshot.tiers.flatMap(({ byNamespace }) => [...byNamespace.keys()])];
  return namespaces
    .map((name) => [name, layersOf(snapshot, name === '' ? undefined : name).length] as const)
    .filter(([, layers]) => layers > MOST_LAYERS);
}
