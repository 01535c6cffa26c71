import { INT32_MAX } from '../probe/go-values.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { DEFAULT_LEARNED } from '../time/learned-start.ts';
import { BOUNDS, MOST_KEPT_STARTS } from './bounds.ts';
import { EXCEPTION_SETTINGS } from './exception-schema.ts';
import { IMAGE_PATTERN, imagePatternProblem } from './image-pattern.ts';
import { selectorField } from './selector-schema.ts';
import { containerNameProblem, DNS_LABEL } from './object-names.ts';
import { DISABLED, PROBES } from './probe-schema.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CelRule, Field, Fields, ObjectField } from './field.ts';

const seconds = (text: string): Field => ({
  type: 'integer',
  text,
  otherwise: 'nothing',
  nullMeans: 'nothing',
  minimum: 1,
});

/** A Pod that takes a day to start is beyond all probes. */
const LONGEST_LEARNED_SECONDS = 86_400;

/** `slowStart.learned`. An empty object switches learned budgets on. */
const LEARNED: ObjectField = {
  type: 'object',
  text: 'Injected startup probes get the time that the starts of the same workload needed, as the observer saw them: margin * longest start + period + 2 s, or twice the time after which a probe killed a start. Never less than startupSeconds, or than the liveness probe of the author guarantees. {} takes the defaults.',
  nullMeans: 'no learned times',
  fields: {
    margin: {
      type: 'number',
      text: 'The longest known start is multiplied by this number.',
      otherwise: DEFAULT_LEARNED.margin,
      minimum: 1,
      maximum: 10,
    },
    minimumStarts: {
      type: 'integer',
      text: 'Starts of new Pods that must be known before a learned time has an effect.',
      otherwise: DEFAULT_LEARNED.minimumStarts,
      minimum: 1,
      maximum: MOST_KEPT_STARTS,
    },
    minimumSeconds: {
      type: 'integer',
      text: 'A learned time is at least this long, in seconds.',
      otherwise: DEFAULT_LEARNED.minimumSeconds,
      minimum: 1,
      maximum: LONGEST_LEARNED_SECONDS,
    },
    maximumSeconds: {
      type: 'integer',
      text: 'A learned time is at most this long, in seconds.',
      otherwise: DEFAULT_LEARNED.maximumSeconds,
      minimum: 1,
      maximum: LONGEST_LEARNED_SECONDS,
    },
  },
  rules: [
    {
      rule: '!has(self.minimumSeconds) || !has(self.maximumSeconds) || self.minimumSeconds <= self.maximumSeconds',
      message: 'minimumSeconds must be at most maximumSeconds',
    },
  ],
  check({ minimumSeconds = 0, maximumSeconds = Infinity }: Readonly<Record<string, number | undefined>>, place) {
    if (minimumSeconds > maximumSeconds)
      place.at('minimumSeconds').report(`must be at most maximumSeconds (${maximumSeconds}), not ${minimumSeconds}`);
  },
};

/** The fields of a policy, in the order in which they are explained, read and listed. */
const POLICY_FIELDS: Fields = {
  workloadSelector: selectorField(
    'The workloads that the policy is for, by the labels of the Pod or Pod template. Absent: every workload. Example: { matchLabels: { app: static } }.',
  ),
  namespaceSelector: {
    ...selectorField(
      'The namespaces that the policy is for, by their labels. Absent: every namespace. Example: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] }.',
    ),
    only: 'ClusterProbePolicy',
  },
  priority: {
    type: 'integer',
    only: 'ClusterProbePolicy',
    text: 'Of two cluster policies that speak of the same field the one with the higher number wins; of equal ones, the later name. Default 0; may be negative.',
    minimum: -INT32_MAX - 1,
  },
  annotations: {
    type: 'choice',
    only: 'ClusterProbePolicy',
    text: 'Whether workloads may override policies by probewright.dev annotations: Allow or Ignore.',
    otherwise: 'Allow',
    choices: ['Allow', 'Ignore'],
  },
  exceptions: { ...EXCEPTION_SETTINGS, only: 'ClusterProbePolicy' },
  containers: {
    type: 'names',
    text: 'The containers that the policy speaks for, by name, e.g. [app, worker]. ["*"] is every application container. Absent: the main container, which is the one in the annotation kubectl.kubernetes.io/default-container, else the only one with a TCP port. Native sidecars only by name; mesh proxies and plain init containers never.',
    what: 'container',
    count: BOUNDS.containers,
    length: BOUNDS.containerName,
    pattern: `^(\\*|${DNS_LABEL})$`,
    problem: (name) => (name === '*' ? undefined : containerNameProblem(name)),
    rules: [
      { rule: "!('*' in self) || size(self) == 1", message: '"*" is every application container: list it alone' },
    ],
    check(names: readonly unknown[], place) {
      if (names.includes('*') && names.length > 1) place.report('"*" is every application container: list it alone');
    },
  },
  images: {
    type: 'names',
    text: 'The images of the containers that the policy speaks for: paths without registry, tag and digest, e.g. [postgres, bitnami/postgresql, "*/keycloak"]. * stands for one part of a path. Without containers, the policy speaks for every application container and native sidecar with such an image. A policy with images sets no checks.',
    what: 'image',
    count: BOUNDS.images,
    length: BOUNDS.imagePattern,
    pattern: IMAGE_PATTERN,
    problem: imagePatternProblem,
  },
  port: {
    type: 'port',
    text: 'The container port for paths that come without one, by number (1 to 65535) or name, e.g. 8080 or http. The container must declare it.',
    otherwise: 'inferred: the port named http, then https, then http-*, else the only one that is not for metrics',
    nullMeans: 'inferred',
  },
  kubernetesProbeEndpoints: {
    type: 'object',
    text: 'HTTP paths of the probes, any of the three: the short form of probes.<probe>.httpGet.path. Example: { readinessProbe: /ready, livenessProbe: /live }.',
    what: 'probe',
    fields: Object.fromEntries(PROBE_KINDS.map((kind) => [kind, endpointOf(kind)])),
  },
  probes: {
    type: 'object',
    text: 'The probes, any of the three, with the fields of a core/v1 Probe, all optional. Example: { livenessProbe: { periodSeconds: 5 }, readinessProbe: { tcpSocket: { port: 5432 } } }.',
    what: 'probe',
    fields: PROBES,
  },
  slowStart: {
    type: 'object',
    text: 'Protects containers that start slowly: one that has no startup probe gets one, with the handler of its liveness probe. Example: { startupSeconds: 300 }.',
    fields: {
      startupSeconds: seconds(
        'Seconds that a container is guaranteed to have for its start, e.g. 300, before a probe may kill it.',
      ),
      fromInitialDelaySeconds: seconds(
        'A liveness probe whose initialDelaySeconds is at least this marks a slow starter, e.g. 30.',
      ),
      learned: LEARNED,
    },
  },
  checks: {
    type: 'checks',
    text: "What violations of the checks lead to, and the checks' parameters, by check id, e.g. { named-port: { action: Deny }, startup-budget: { minimumSeconds: 30 } }. What is left out comes from lower layers, else from the check itself.",
  },
};

function endpointOf(kind: ProbeKind): Field {
  return {
    type: 'path',
    text: `HTTP path of the ${kind}, with a leading "/", e.g. /healthz. It goes with probes.${kind}.httpGet, but not with another handler.`,
    nullMeans: `never add a ${kind} here`,
  };
}

/** A path in kubernetesProbeEndpoints is httpGet.path: no other handler beside it, and no other path. */
function endpointRules(kind: ProbeKind): CelRule[] {
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

/** No probe has so many fields, so only a null passes: value validations other than enum are not applied to null. */
const NULL_PROBE = { minProperties: HANDLER_KINDS.length + PROBE_INTEGERS.length + 2 };
/** Likewise: a path is not empty. */
const NULL_ENDPOINT = { maxLength: 0 };
const DISABLED_PROBE = { required: [DISABLED], properties: { [DISABLED]: { enum: [true] } } };

/** The ways to remove a probe and describe it at once. `readProbeDefault` reports them with better messages. */
function removedAndDescribed(kind: ProbeKind): JsonObject[] {
  const has = (schema: JsonObject): JsonObject => ({ required: [kind], properties: { [kind]: schema } });
  const hasOther = (schema: JsonObject): JsonObject => ({ required: [kind], not: { properties: { [kind]: schema } } });
  const both = (probes: JsonObject, kubernetesProbeEndpoints: JsonObject): JsonObject => ({
    required: ['probes', 'kubernetesProbeEndpoints'],
    properties: { probes, kubernetesProbeEndpoints },
  });
  return [
    both(has(NULL_PROBE), hasOther(NULL_ENDPOINT)),
    both(hasOther(NULL_PROBE), has(NULL_ENDPOINT)),
    // Null passes for disabled, as nothing is validated of it but its place.
    both({ ...has(DISABLED_PROBE), not: has(NULL_PROBE) }, { required: [kind] }),
  ];
}

/** The spec of a ProbePolicy and of a ClusterProbePolicy. */
export const POLICY_SPEC: ObjectField = {
  type: 'object',
  text: 'What the policy says. {} says nothing.',
  nulls: 'absent',
  required: 'must be given; {} is a policy that says nothing',
  fields: POLICY_FIELDS,
  also: { not: { anyOf: [...PROBE_KINDS.flatMap(removedAndDescribed), { required: ['images', 'checks'] }] } },
  rules: PROBE_KINDS.flatMap(endpointRules),
  check(read: Readonly<Record<string, unknown>>, place) {
    const checks = place.at('checks');
    if (read['images'] !== undefined && !checks.isAbsent)
      checks.report('a policy with images sets no checks: they are for containers by name; write another policy');
  },
};
