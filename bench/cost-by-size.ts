import { CHECK_CATALOGUE } from '../src/engine/checks/catalogue.ts';
import { decodeReview } from '../src/webhook/review/review.ts';
import { mutate } from '../test/support/decisions.ts';
import { parseProbePolicy } from '../src/engine/policy/read-policy.ts';
import { Snapshot } from '../src/engine/facts/snapshot.ts';
import { figures } from './cluster-memory.ts';
import { judged, ratios, reading, type Findings } from './figures.ts';
import { clusterPolicy, policy } from './policies.ts';
import { podReviews, podWithContainers } from './reviews.ts';
import { NOW } from '../test/support/now.ts';

const POLICY_COUNTS = [10, 1000, 20_000];
/** So that a request meets equally many policies whatever their number. */
const POLICIES_A_NAMESPACE = 2;
const CONTAINERS = 60;
const ROUNDS = 15;
/** Linux counts a thread's time in ticks of up to 4 ms: a round is many ticks long. */
const REQUESTS = 2000;
/** Policies that a process mirrors, to see what one costs. */
const MIRRORED = 2000;

/** Goal 2: what a request costs with few and many policies and containers, and a policy in memory. */
export async function costBySize(): Promise<Findings> {
  const pods = podReviews('user').map((body) => body.toString());
  const byPolicies = interleaved(POLICY_COUNTS.map((count) => requestsOf(pods, teams(count), namespaces(count))));
  const [few = [], ...more] = byPolicies;
  const everywhere = policySet([
    clusterPolicy('all', {
      containers: Array.from({ length: CONTAINERS }, (_, index) => `container-${index}`),
      port: 'http',
      kubernetesProbeEndpoints: { startupProbe: '/live', livenessProbe: '/live', readinessProbe: '/ready' },
    }),
  ]);
  const [one = [], many = []] = interleaved(
    [1, CONTAINERS].map((count) => requestsOf([podWithContainers(count)], everywhere, ['apps'])),
  );
  const none = await figures(0, 0);
  const mirrored = await figures(MIRRORED, 0);
  const perPolicy = (mirrored.heap - none.heap) / MIRRORED;
  const micros = (seconds: readonly number[]): number[] => seconds.map((value) => value * 1e6);
  return {
    title: 'Cost by size',
    how: `In one process, from the request's text to the reply's, in processor time of the thread: ${ROUNDS} rounds in turns of ${REQUESTS} requests each, from all namespaces that have policies, ${POLICIES_A_NAMESPACE} in each. The Pods with 1 and ${CONTAINERS} containers get three probes for every container. The heap of a policy is that of a process that mirrors ${MIRRORED} policies from a cluster, less that of one that mirrors none.`,
    rows: [
      ...POLICY_COUNTS.map((count, index) =>
        reading(`/mutate with ${count.toLocaleString('en')} policies`, micros(byPolicies[index] ?? []), ' µs'),
      ),
      ...more.map((values, index) =>
        judged(
          `${POLICY_COUNTS[index + 1]?.toLocaleString('en')} policies / ${POLICY_COUNTS[0]}`,
          ratios(values, few),
          { atMost: 1.1 },
        ),
      ),
      reading('/mutate, a Pod with 1 container', micros(one), ' µs'),
      reading(`/mutate, a Pod with ${CONTAINERS} containers`, micros(many), ' µs'),
      judged(`${CONTAINERS} containers / 1`, ratios(many, one), { atMost: CONTAINERS }),
      judged('heap of a policy', [perPolicy], { atMost: 2048 }, ' B'),
    ],
  };
}

const namespaces = (policies: number): string[] =>
  Array.from({ length: policies / POLICIES_A_NAMESPACE }, (_, index) => `team-${index}`);

function teams(count: number): Snapshot {
  return policySet(
    namespaces(count).flatMap((namespace, index) => [
      policy(namespace, 'defaults', {
        containers: ['app'],
        kubernetesProbeEndpoints: { startupProbe: '/live', livenessProbe: '/live', readinessProbe: `/ready/${index}` },
      }),
      policy(namespace, 'static', {
        workloadSelector: { matchLabels: { app: 'static' } },
        containers: ['app'],
        probes: { livenessProbe: { periodSeconds: 5 } },
      }),
    ]),
  );
}

function policySet(documents: readonly object[]): Snapshot {
  return Snapshot.of(
    CHECK_CATALOGUE,
    documents.map((document) => {
      const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
      if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
      return parsed.policy;
    }),
  );
}

/** Answers some requests; the namespaces take turns. */
function requestsOf(
  bodies: readonly string[],
  policies: Snapshot,
  from: readonly string[],
): (requests: number) => void {
  let next = 0;
  return (requests) => {
    for (let count = 0; count < requests; count++, next++) {
      const decoded = decodeReview(JSON.parse(bodies[next % bodies.length] ?? ''));
      if ('problem' in decoded) throw new Error(decoded.problem);
      const request = { ...decoded.request, namespace: from[next % from.length] ?? '' };
      const { reply, result } = mutate(request, policies, 'On', NOW);
      if (result !== 'mutate' || JSON.stringify(reply) === '') throw new Error(`a Pod was not patched: ${result}`);
    }
  };
}

/** Seconds of processor time a request, for each, round by round. */
function interleaved(runs: readonly ((requests: number) => void)[]): number[][] {
  // Every namespace has been seen, and the code is compiled.
  for (const run of runs) run(20_000);
  const found: number[][] = runs.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, run] of runs.entries()) {
      const before = process.threadCpuUsage();
      run(REQUESTS);
      const used = process.threadCpuUsage(before);
      found[index]?.push((used.user + used.system) / 1e6 / REQUESTS);
    }
  return found;
}
