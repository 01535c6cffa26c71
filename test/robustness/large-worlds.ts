import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { POLICY_LIMITS } from '../../src/engine/policy/budget.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../support/worlds.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** Policies and an object that together make a decision long. */
export interface LargeWorld {
  readonly name: string;
  readonly policies: () => Snapshot;
  /** The Pod spec's containers, for so many as the scenario is scaled to. */
  readonly containers: (count: number) => JsonObject[];
}

/** As many containers as an object may have that is looked at. */
export const MOST_CONTAINERS = 300;
/** As many policies as a namespace may have in force. */
const MOST_POLICIES: number = POLICY_LIMITS.objects;
const NAMES_A_POLICY = 64;

const ports = [{ name: 'http', containerPort: 80 }];
const containersWith =
  (members: JsonObject) =>
  (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'x', ports, ...members }));

const plain = containersWith({});
const misspelt = containersWith({
  livenessProbe: { httpGet: { path: '/x', port: 'htpp' } },
  readinessProbe: { httpGet: { path: '/x', port: 'http' } },
});
const exec = containersWith({ livenessProbe: { exec: { command: ['sh', '-c', 'a b c d e f g h i j k l'] } } });

const policiesOf = (specOf: (index: number) => JsonObject, count = MOST_POLICIES): Snapshot =>
  Snapshot.of(
    CHECK_CATALOGUE,
    Array.from({ length: count }, (_, index) => parsedPolicy(policyDocument(specOf(index), `p${index}`))),
  );

/** Every other policy names containers, and the others speak for all. */
function naming(index: number): JsonObject {
  if (index % 2 === 0) {
    return {
      containers: ['*'],
      kubernetesProbeEndpoints: { readinessProbe: '/r' },
      probes: { readinessProbe: { periodSeconds: 5 } },
      checks: { 'probe-bounds': { action: 'Warn' } },
    };
  }
  const containers = Array.from(
    { length: NAMES_A_POLICY },
    (_, position) => `c${(index * (NAMES_A_POLICY / 2) + position) % MOST_CONTAINERS}`,
  );
  return {
    containers,
    kubernetesProbeEndpoints: { livenessProbe: '/l' },
    checks: { 'probe-bounds': { action: 'Deny', livenessProbe: { periodSeconds: { minimum: 20 } } } },
  };
}

/** Probes that floors forbid, for every container. */
const forbidden = (): Snapshot =>
  Snapshot.of(CHECK_CATALOGUE, [
    parsedPolicy(
      clusterPolicyDocument({
        containers: ['*'],
        kubernetesProbeEndpoints: { livenessProbe: '/ready', readinessProbe: '/ready' },
        checks: {
          'dependency-liveness': { action: 'Deny', floor: 'Deny' },
          'shared-endpoint': { floor: 'Deny' },
          'named-port': { floor: 'Deny' },
        },
      }),
    ),
  ]);

const names = Array.from({ length: 100 }, (_, index) => `n${index}`);

/** What a hostile tenant can make of policies within their bounds and an object that an API server takes. */
export const LARGE_WORLDS: readonly LargeWorld[] = [
  {
    name: 'forbidden names beside 300 commands',
    policies: () => policiesOf(() => ({ checks: { 'exec-forbidden': { action: 'Deny', names } } }), 1),
    containers: exec,
  },
  {
    name: 'a hundred policies about checks beside 300 containers with faults',
    policies: () => policiesOf(() => ({ checks: { 'named-port': { action: 'Warn' } } })),
    containers: misspelt,
  },
  { name: 'a hundred policies that name 300 containers', policies: () => policiesOf(naming), containers: plain },
  { name: 'floors that forbid 600 injected probes', policies: forbidden, containers: plain },
];
