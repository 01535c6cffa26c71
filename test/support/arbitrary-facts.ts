import fc from 'fast-check';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { profileName } from '../../src/engine/facts/startup-profile.ts';
import { exceptionDocument } from './exceptions.ts';
import { clusterPolicyDocument } from './worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/**
 * Facts of namespace apps that meet the workloads `w0` to `w3` of tests: exceptions, Services, learned start times and
 * labels of the namespace. Names are few, so that two collections have objects of one name.
 */

const NAMES = ['w0', 'w1', 'w2', 'w3'] as const;
const KINDS = ['Deployment', 'StatefulSet', 'Pod', 'Job', 'CronJob'] as const;
const CONTAINERS = ['app', 'app-0', 'app-1', 'nginx', 'sidecar'] as const;
/** Before, at and after NOW. */
const ENDS = ['2026-06-30T23:59:59Z', '2026-07-01T00:00:00Z', '2026-07-01T00:00:01Z', '2026-12-01T00:00:00Z'];

const some = <T>(values: readonly T[], maxLength: number): fc.Arbitrary<T[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength });
const labels = fc.constantFrom<JsonObject>({ app: 'web' }, { app: 'web', tier: 'db' }, { tier: 'db' });

const target = fc.oneof(
  fc
    .uniqueArray(fc.record({ kind: fc.constantFrom(...KINDS), name: fc.constantFrom(...NAMES) }), {
      minLength: 1,
      maxLength: 6,
      selector: ({ kind, name }) => `${kind}/${name}`,
    })
    .map((workloads) => ({ workloads })),
  fc
    .constantFrom<JsonObject>({}, { matchLabels: { app: 'web' } })
    .map((workloadSelector) => ({ workloads: undefined, workloadSelector })),
);

/** Any ProbeException. */
export const anyException: fc.Arbitrary<JsonObject> = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c'),
    checks: fc.oneof(some(Object.keys(CHECK_CATALOGUE), 64), fc.constant(Object.keys(CHECK_CATALOGUE).slice(0, 64))),
    target,
    containers: fc.option(some(CONTAINERS, 2), { nil: undefined }),
    expires: fc.constantFrom(...ENDS),
  })
  .map(({ name, checks, target: selected, containers, expires }) =>
    // As a document has it: an absent member is no key.
    asDocument(exceptionDocument({ checks, ...selected, containers, expires }, { name })),
  );

const anyService = fc
  .record({
    name: fc.constantFrom('a', 'b'),
    selector: labels,
    targetPort: fc.constantFrom('http', 'web', 'grpc', 80, 8080),
    publishNotReadyAddresses: fc.boolean(),
  })
  .map(({ name, selector, targetPort, publishNotReadyAddresses }) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'apps' },
    spec: { selector, publishNotReadyAddresses, ports: [{ port: 80, targetPort }] },
  }));

/** The StartupProfile of a workload whose containers had these starts. */
export function startupProfile(
  kind: string,
  workload: string,
  seconds: readonly number[],
  boundSeconds: number,
): JsonObject {
  const samples = seconds.map((each, index) => ({
    seconds: each,
    within: 3,
    basis: 'startup',
    restart: false,
    node: 'n',
    at: new Date(Date.UTC(2026, 5, 1, 0, index)).toISOString(),
    id: `s${index}`,
  }));
  const killed =
    boundSeconds === 0 ? {} : { censored: 1, censoredBoundSeconds: boundSeconds, censoredAt: '2026-06-01T00:00:00Z' };
  return {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'StartupProfile',
    metadata: { name: profileName(kind, workload), namespace: 'apps' },
    status: {
      workload: { apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1', kind, name: workload },
      containers: CONTAINERS.map((name) => ({ name, image: 'r/app:1', samples, ...killed })),
    },
  };
}

const anyProfile = fc
  .tuple(
    fc.constantFrom('Deployment', 'StatefulSet', 'Pod'),
    fc.constantFrom(...NAMES),
    fc.array(fc.constantFrom(1, 41, 300, 3000), { maxLength: 6 }),
    fc.constantFrom(0, 30, 5000),
  )
  .map((profile) => startupProfile(...profile));

const anyNamespace = fc
  .dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('web', 'db', ''))
  .map((own) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps', labels: own } }));

/** A policy that decides how facts count. */
const anyRule = fc
  .record(
    {
      exceptions: fc.record(
        {
          action: fc.constantFrom('Allow', 'Ignore'),
          maximumDays: fc.constantFrom(1, 3650),
          checks: fc.constantFrom<string[]>([], ['named-port', 'valid-probe']),
        },
        { requiredKeys: [] },
      ),
      containers: fc.constant(['*']),
      slowStart: fc.constant({ fromInitialDelaySeconds: 1, learned: {} }),
      port: fc.constant('http'),
    },
    { requiredKeys: [] },
  )
  .map((spec) => clusterPolicyDocument(asDocument(spec), 'rules'));

/** Any object that is a fact, and policies about facts. */
export const anyFact: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: anyException },
  { weight: 2, arbitrary: anyService },
  { weight: 3, arbitrary: anyProfile },
  { weight: 1, arbitrary: anyNamespace },
  { weight: 1, arbitrary: anyRule },
);

function asDocument(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
