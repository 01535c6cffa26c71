import { ANNOTATION_PREFIX } from '../engine/policy/annotations.ts';
import { BOUNDS } from '../engine/policy/bounds.ts';
import { OPERATORS } from '../engine/policy/label-selector.ts';
import { POLICY_API_VERSION, POLICY_GROUP } from '../engine/policy/object-names.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../engine/probe/probe.ts';
import { areTooCostly } from './cost.ts';
import { layersOf, type NativeLayer } from './namespace-layers.ts';
import { MOST_SERVICE_PORTS, servicePortsOf, type ServicePorts } from './service-ports.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';

export const PARAM_KIND = 'NamespaceProbes';
const PARAM_RESOURCE = 'namespaceprobes';
/** The name of the param of a namespace, and of the one for all namespaces without. */
export const PARAM = 'effective';
export const CLUSTER_PARAM = 'cluster';

/**
 * The form of the params. A policy ignores params of a newer form, and must read those of the form before: an upgrade
 * replaces the policy first.
 */
export const PARAM_VERSION = 1;
/** The conditions of the policy on its param. */
export const PARAM_CONDITIONS = { version: 'param-of-known-version', namespace: 'param-of-the-namespace' };
/** The label of the policy with the newest form that it reads. */
export const PARAM_VERSION_LABEL = `${ANNOTATION_PREFIX}param-version`;

const text = (maxLength = 253): JsonObject => ({ type: 'string', maxLength });
const listOf = (items: JsonObject, maxItems: number): JsonObject => ({ type: 'array', maxItems, items });
/** The longest label value, and the longest name of a namespace. */
const LABEL = 63;
const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  required,
  properties,
});

const SELECTOR = listOf(
  object({
    key: text(253 + 1 + LABEL),
    operator: { type: 'string', enum: OPERATORS },
    values: listOf(text(LABEL), BOUNDS.expressionValues.maximum),
  }),
  BOUNDS.matchLabels.maximum + BOUNDS.matchExpressions.maximum,
);
const COUNT = { type: 'integer', format: 'int64', minimum: 0 };
const FLAG = { type: 'boolean' };

/** More layers would cost too much for a Pod with many containers (test/native/cost.alone.test.ts). */
export const MOST_LAYERS = 50;

const LAYER_SCHEMA = object(
  {
    source: text(520),
    aimed: FLAG,
    containers: listOf(text(BOUNDS.containerName.maximum), BOUNDS.containers.maximum),
    // A sign of a pattern becomes at most five signs of an expression.
    images: listOf(text(2 + 5 * BOUNDS.imagePattern.maximum), BOUNDS.images.maximum),
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
  labels: { type: 'object', additionalProperties: text(LABEL) },
  other: PORTS,
  noTcp: PORTS,
});
/** Of a namespace, those that say something against probes. */
const MOST_SERVICES = 1000;
/** The namespaces with a param of their own. Their names take at most 640 KB of the 1.5 MB of an object. */
const MOST_NAMESPACES = 10_000;

/** The kind of the params. Whoever may write them decides about probes: no role for tenants has them. */
export const PARAM_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `namespaceprobes.${POLICY_GROUP}` },
  spec: {
    group: POLICY_GROUP,
    names: {
      kind: PARAM_KIND,
      listKind: `${PARAM_KIND}List`,
      plural: PARAM_RESOURCE,
      singular: PARAM_RESOURCE,
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
            description:
              'The merged layers of policies for a namespace, highest first. The observer or probewright export writes the object: whoever may write it decides about probes.',
            ...object(
              {
                apiVersion: text(),
                kind: text(),
                metadata: { type: 'object' },
                // All members are always there, so that an apply replaces what somebody else has added.
                spec: object({
                  version: { type: 'integer', format: 'int64', minimum: 1 },
                  layers: listOf(LAYER_SCHEMA, MOST_LAYERS),
                  services: listOf(SERVICE_SCHEMA, MOST_SERVICES),
                  except: listOf(text(LABEL), MOST_NAMESPACES),
                }),
              },
              ['spec'],
            ),
          },
        },
      },
    ],
  },
} as const satisfies JsonObject;

/** What a param says: the layers of the namespace, or those of the cluster. */
export interface ParamSpec extends JsonObject {
  readonly version: number;
  readonly layers: readonly NativeLayer[];
  readonly services: readonly ServicePorts[];
  /** The namespaces with a param of their own. Those have none. */
  readonly except: readonly string[];
}

/** Nothing is injected by it: the layers have no room in a param, or cost too much for the API server. */
export const CLOSED_PARAM: ParamSpec = {
  version: PARAM_VERSION,
  layers: [
    {
      source: 'no-room',
      aimed: false,
      ...{ containers: [], images: [], workloadSelector: [], namespaceSelector: [], probes: [] },
      closed: true,
    },
  ],
  services: [],
  except: [],
};

function paramSpec(
  layers: readonly NativeLayer[],
  services: readonly ServicePorts[],
  except: readonly string[],
): ParamSpec {
  const hasRoom = layers.length <= MOST_LAYERS && services.length <= MOST_SERVICES && except.length <= MOST_NAMESPACES;
  return hasRoom && !areTooCostly(layers) ? { version: PARAM_VERSION, layers, services, except } : CLOSED_PARAM;
}

/** True for a namespace with policies or telling Services. All others share the cluster's param. */
export function hasOwnParam(snapshot: Snapshot, namespace: string): boolean {
  const hasPolicies = snapshot.tiers.some(({ byNamespace }) => byNamespace.has(namespace));
  return hasPolicies || servicePortsOf(snapshot, namespace).length > 0;
}

/** The namespaces that have a param of their own. */
export function namespacesWithParam(snapshot: Snapshot): readonly string[] {
  const withPolicies = snapshot.tiers.flatMap(({ byNamespace }) => [...byNamespace.keys()]);
  const known = new Set([...withPolicies, ...(snapshot.facts.services?.lists.keys() ?? [])]);
  return [...known].filter((namespace) => hasOwnParam(snapshot, namespace)).sort();
}

/** The param of a namespace. */
export function namespaceParam(snapshot: Snapshot, namespace: string): ParamSpec {
  return paramSpec(layersOf(snapshot, namespace), servicePortsOf(snapshot, namespace), []);
}

/** The param for all namespaces but those. */
export function clusterParam(snapshot: Snapshot, except: readonly string[]): ParamSpec {
  return paramSpec(layersOf(snapshot), [], except);
}

/** A param as an object. */
export function paramObject(name: string, namespace: string, spec: ParamSpec): JsonObject {
  const labels = { 'app.kubernetes.io/managed-by': 'probewright' };
  return { apiVersion: POLICY_API_VERSION, kind: PARAM_KIND, metadata: { name, namespace, labels }, spec };
}

/** The namespaces whose layers are too many, with their number. The empty name stands for the cluster's layers. */
export function tooManyLayers(snapshot: Snapshot): readonly (readonly [namespace: string, layers: number])[] {
  const namespaces = ['', ...snapshot.tiers.flatMap(({ byNamespace }) => [...byNamespace.keys()])];
  return namespaces
    .map((name) => [name, layersOf(snapshot, name === '' ? undefined : name).length] as const)
    .filter(([, layers]) => layers > MOST_LAYERS);
}
