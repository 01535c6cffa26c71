import { IMAGE_PATTERN } from '../../src/engine/policy/image-pattern.ts';
import { DNS_LABEL } from '../../src/engine/policy/object-names.ts';
import { BOUNDS } from '../../src/engine/policy/bounds.ts';
import { DISABLED } from '../../src/engine/policy/probe-default.ts';
import { INT32_MAX } from '../../src/engine/probe/go-values.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS, type ProbeKind } from '../../src/engine/probe/probe.ts';
import { checksSchema } from './check-schema.ts';
import { learnedSchema } from './learned-schema.ts';
import { exceptionSettingsSchema } from './exception-schema.ts';
import { portSchema } from './port-schema.ts';
import { pathSchema, probeSchema } from './probe-schema.ts';
import { selectorSchema } from './selector-schema.ts';
import { statusSchema } from './status-schema.ts';
import type { PolicyKind } from '../../src/engine/policy/probe-policy.ts';
import type { OpenApiSchema, ValidationRule } from './open-api-schema.ts';

/** The openAPIV3Schema of a kind. It accepts what `parseProbePolicy` accepts, once the server has dropped what it does not know. */
export function policySchema(kind: PolicyKind): OpenApiSchema {
  const isCluster = kind === 'ClusterProbePolicy';
  return {
    description: isCluster
      ? 'Says which probes the containers of many namespaces should have, and what violations of the probe checks lead to. It is the lowest layer: ProbePolicies of a namespace, and annotations of a workload, win over it field by field.'
      : 'Says which probes the containers of its namespace should have, and what violations of the probe checks lead to. It wins over ClusterProbePolicies field by field; annotations of a workload win over it.',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { description: 'probewright.dev/v1alpha1.', type: 'string' },
      kind: { description: `${kind}.`, type: 'string' },
      metadata: { type: 'object' },
      spec: specSchema(isCluster),
      status: statusSchema,
    },
  };
}

function specSchema(isCluster: boolean): OpenApiSchema {
  return {
    description: 'What the policy says. {} says nothing.',
    type: 'object',
    properties: {
      workloadSelector: selectorSchema(
        'The workloads that the policy is for, by the labels of the Pod or Pod template. Absent: every workload. Example: { matchLabels: { app: static } }.',
      ),
      ...(isCluster && clusterFields),
      containers: {
        description:
          'The containers that the policy speaks for, by name, e.g. [app, worker]. ["*"] is every application container. Absent: the main container, which is the one in the annotation kubectl.kubernetes.io/default-container, else the only one with a TCP port. Native sidecars only by name; mesh proxies and plain init containers never.',
        type: 'array',
        minItems: 1,
        maxItems: BOUNDS.containers.maximum,
        'x-kubernetes-list-type': 'set',
        items: {
          type: 'string',
          minLength: 1,
          maxLength: BOUNDS.containerName.maximum,
          pattern: `^(\\*|${DNS_LABEL})$`,
        },
        'x-kubernetes-validations': [
          {
            rule: "!('*' in self) || size(self) == 1",
            message: '"*" is every application container: list it alone',
          },
        ],
      },
      images: {
        description:
          'The images of the containers that the policy speaks for: paths without registry, tag and digest, e.g. [postgres, bitnami/postgresql, "*/keycloak"]. * stands for one part of a path. Without containers, the policy speaks for every application container and native sidecar with such an image. A policy with images sets no checks.',
        type: 'array',
        minItems: 1,
        maxItems: BOUNDS.images.maximum,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', minLength: 1, maxLength: BOUNDS.imagePattern.maximum, pattern: IMAGE_PATTERN },
      },
      port: {
        ...portSchema,
        description:
          'The container port for paths that come without one, by number (1 to 65535) or name, e.g. 8080 or http. The container must declare it. Absent: what a lower layer says, else inferred: the port named http, then https, then http-*, else the only one that is not for metrics. null: inferred, whatever lower layers say.',
        nullable: true,
      },
      kubernetesProbeEndpoints: {
        description:
          'HTTP paths of the probes, any of the three: the short form of probes.<probe>.httpGet.path. Example: { readinessProbe: /ready, livenessProbe: /live }.',
        type: 'object',
        properties: Object.fromEntries(PROBE_KINDS.map((probe) => [probe, endpointSchema(probe)])),
      },
      probes: {
        description:
          'The probes, any of the three, with the fields of a core/v1 Probe, all optional. Example: { livenessProbe: { periodSeconds: 5 }, readinessProbe: { tcpSocket: { port: 5432 } } }.',
        type: 'object',
        properties: Object.fromEntries(PROBE_KINDS.map((probe) => [probe, probeSchema(probe)])),
      },
      slowStart: {
        description:
          'Protects containers that start slowly: one that has no startup probe gets one, with the handler of its liveness probe. Example: { startupSeconds: 300 }.',
        type: 'object',
        properties: {
          startupSeconds: seconds(
            'Seconds that a container is guaranteed to have for its start, e.g. 300, before a probe may kill it.',
          ),
          fromInitialDelaySeconds: seconds(
            'A liveness probe whose initialDelaySeconds is at least this marks a slow starter, e.g. 30.',
          ),
          learned: learnedSchema,
        },
      },
      checks: checksSchema(isCluster),
    },
    not: { anyOf: [...PROBE_KINDS.flatMap(removedAndDescribed), { required: ['images', 'checks'] }] },
    'x-kubernetes-validations': PROBE_KINDS.flatMap(endpointRules),
  };
}

const clusterFields: Readonly<Record<string, OpenApiSchema>> = {
  namespaceSelector: selectorSchema(
    'The namespaces that the policy is for, by their labels. Absent: every namespace. Example: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] }.',
  ),
  priority: {
    description:
      'Of two cluster policies that speak of the same field the one with the higher number wins; of equal ones, the later name. Default 0; may be negative.',
    type: 'integer',
    format: 'int32',
    minimum: -INT32_MAX - 1,
    maximum: INT32_MAX,
  },
  annotations: {
    description:
      'Whether workloads may override policies by probewright.dev annotations: Allow or Ignore. Absent: what a lower layer says, else Allow.',
    type: 'string',
    enum: ['Allow', 'Ignore'],
  },
  exceptions: exceptionSettingsSchema,
};

function endpointSchema(probe: ProbeKind): OpenApiSchema {
  return {
    ...pathSchema,
    description: `HTTP path of the ${probe}, with a leading "/", e.g. /healthz. It goes with probes.${probe}.httpGet, but not with another handler. null: never add a ${probe} here, whatever lower layers say.`,
    nullable: true,
  };
}

function seconds(meaning: string): OpenApiSchema {
  return {
    description: `${meaning} Absent: what a lower layer says, else nothing. null: nothing, whatever lower layers say.`,
    type: 'integer',
    format: 'int32',
    nullable: true,
    minimum: 1,
    maximum: INT32_MAX,
  };
}

/** No probe has so many fields, so only a null passes: value validations other than enum are not applied to null. */
const nullProbe: OpenApiSchema = { minProperties: HANDLER_KINDS.length + PROBE_INTEGERS.length + 2 };
/** Likewise: a path is not empty. */
const nullEndpoint: OpenApiSchema = { maxLength: 0 };

const disabledProbe: OpenApiSchema = { required: [DISABLED], properties: { [DISABLED]: { enum: [true] } } };

/**
 * The ways to remove a probe and describe it at once. CEL could say it with a better message, but it takes a null for
 * absent.
 */
function removedAndDescribed(kind: ProbeKind): OpenApiSchema[] {
  const has = (schema: OpenApiSchema): OpenApiSchema => ({ required: [kind], properties: { [kind]: schema } });
  const hasOther = (schema: OpenApiSchema): OpenApiSchema => ({
    required: [kind],
    not: { properties: { [kind]: schema } },
  });
  const both = (probes: OpenApiSchema, kubernetesProbeEndpoints: OpenApiSchema): OpenApiSchema => ({
    required: ['probes', 'kubernetesProbeEndpoints'],
    properties: { probes, kubernetesProbeEndpoints },
  });
  return [
    both(has(nullProbe), hasOther(nullEndpoint)),
    both(hasOther(nullProbe), has(nullEndpoint)),
    // Null passes for disabled, as nothing is validated of it but its place.
    both({ ...has(disabledProbe), not: has(nullProbe) }, { required: [kind] }),
  ];
}

/** A path in kubernetesProbeEndpoints is httpGet.path: no other handler beside it, and no other path. */
function endpointRules(kind: ProbeKind): ValidationRule[] {
  const unlessBoth = `!has(self.kubernetesProbeEndpoints) || !has(self.kubernetesProbeEndpoints.${kind}) || !has(self.probes) || !has(self.probes.${kind})`;
  const probe = `self.probes.${kind}`;
  return [
    {
      rule: `${unlessBoth} || !(has(${probe}.exec) || has(${probe}.tcpSocket) || has(${probe}.grpc))`,
      message: `kubernetesProbeEndpoints.${kind} is an HTTP path, but probes.${kind} has another handler: leave one of them out`,
    },
    {
      rule: `${unlessBoth} || !has(${probe}.httpGet) || !has(${probe}.httpGet.path) || ${probe}.httpGet.path == self.kubernetesProbeEndpoints.${kind}`,
      message: `kubernetesProbeEndpoints.${kind} and probes.${kind}.httpGet.path differ: give one`,
    },
  ];
}
