import { describe, expect, it } from 'vitest';
import { byPod, recording, type Batch, type Recording, type RecordedCase } from '../kubelet/recordings.ts';
import { recordedFindings, type RecordedFinding } from './recorded-findings.ts';

/** What the observer must tell of a Pod, and what it may tell beside that. */
interface Expected {
  readonly must: readonly string[];
  readonly may?: readonly string[];
}

const NOTHING: Expected = { must: [] };
const SERVING = 'app livenessProbe killed-while-serving';
const STARTING = 'app livenessProbe killed-while-starting';
const LIVENESS_503 = 'app livenessProbe http-5xx';
const startup = (cause: string): string[] => [`app startupProbe ${cause}`, 'app startupProbe killed-while-starting'];
const only = (...must: string[]): Expected => ({ must });

/** The cause that the script of a case leads to. */
const CAUSES: Readonly<Record<string, string>> = {
  refuse: 'connection-refused',
  close: 'connection-refused',
  bad: 'http-5xx',
  hang: 'timeout',
};

/** By the name of the case: the script says what the containers do. */
const BY_TAG: Readonly<Record<string, Expected>> = {
  // Healthy, slow within the budgets, or crashing without a probe.
  once: NOTHING,
  'bound-l': NOTHING,
  'bound-s': NOTHING,
  ready: NOTHING,
  'slow-ok': NOTHING,
  'counter-r': NOTHING,
  'g2-crash': NOTHING,
  'g3-default': NOTHING,
  'g4-ready': NOTHING,
  'g5-delay': NOTHING,
  // A restart of the kubelet opens the gate: these containers are started and Ready from then on.
  'starting-nor': NOTHING,
  'starting-ready': NOTHING,
  'starting-live': only(LIVENESS_503),
  'live-fail': only(LIVENESS_503, SERVING),
  drain: only(LIVENESS_503, SERVING, 'app readinessProbe http-5xx'),
  'never-grace-l': only(LIVENESS_503),
  'never-grace-two': only(LIVENESS_503),
  'never-long-l': only(LIVENESS_503),
  'ctr-never': only(LIVENESS_503),
  'never-grace-s': only(...startup('http-5xx')),
  'onfail-grace-l': only(LIVENESS_503),
  'pre-ok': only(LIVENESS_503),
  'pre-sleep': only(LIVENESS_503),
  // Healthy for 5 s first.
  'never-policy': only(LIVENESS_503, SERVING),
  'onfail-0': only(LIVENESS_503, SERVING),
  'onfail-143': only(LIVENESS_503, SERVING),
  sidecar: only('side livenessProbe http-5xx', 'side livenessProbe killed-while-serving'),
  // The first run had served. Later runs are stopped before the start, by the gate of kubernetes/kubernetes#141155.
  'g1-livekill': { must: [LIVENESS_503], may: [SERVING] },
  'g6-chain': { must: ['app livenessProbe timeout', SERVING], may: ['app livenessProbe connection-refused', STARTING] },
  same: { must: [LIVENESS_503], may: [SERVING, 'app livenessProbe connection-refused', STARTING] },
  // Two 503, and a crash that the third probe meets: the kubelet may take that for the third failure.
  'counter-l': { must: [], may: [LIVENESS_503, SERVING, 'app livenessProbe connection-refused'] },
  'bodyhang-l': only('app livenessProbe timeout', 'app readinessProbe timeout'),
  'bodyhang-s': only('app startupProbe timeout'),
  portname: only('app livenessProbe port-name-undeclared', 'app readinessProbe port-name-undeclared'),
  'notfound-l': only('app livenessProbe executable-not-found'),
  'notfound-s': only('app startupProbe executable-not-found'),
  'notfound-r': only('app readinessProbe executable-not-found'),
  'redir-other': only('app livenessProbe redirect-other-host', 'app readinessProbe redirect-other-host'),
  'redir-self': only('app readinessProbe http-3xx'),
  'grpc-refused': only('app livenessProbe connection-refused', STARTING),
  'grpc-unimpl': only('app livenessProbe grpc-unimplemented'),
  'grpc-notfound': only('app livenessProbe grpc-unhealthy'),
  'grpc-notserving': only('app livenessProbe grpc-unhealthy'),
  'grpc-hang': only('app livenessProbe timeout', STARTING),
  'tls-plain': only('app livenessProbe http-400'),
  'plain-tls': only('app livenessProbe tls-mismatch'),
  mtls: only('app livenessProbe tls-handshake'),
  raw: only('app livenessProbe other-protocol'),
  eof: only('app livenessProbe other-protocol'),
  reset: only('app livenessProbe other-protocol'),
  'grpc-as-http': only('app livenessProbe other-protocol'),
  spam: only('app readinessProbe http-5xx'),
  'exec-exit1': only('app livenessProbe command-failed', STARTING),
  'exec-timeout': only('app livenessProbe timeout', STARTING),
};

/** Deployments of obs2, by name. */
const BY_DEPLOYMENT: Readonly<Record<string, Expected>> = {
  'd-404-live': only('app livenessProbe http-404'),
  'd-503-live': only(LIVENESS_503, SERVING),
  'd-hang-live': only('app livenessProbe timeout', SERVING),
  'd-hang-both': only('app livenessProbe timeout', 'app readinessProbe timeout', SERVING),
  'd-crash': NOTHING,
  'k-start-nor': NOTHING,
  'k-start-ready': NOTHING,
  // The restart of the kubelet lets the liveness probe stop these Pods in their start (kubernetes/kubernetes#142305).
  'k-start-live': only('app livenessProbe connection-refused', STARTING),
  // The restart of the kubelet ends the startup probe before its verdict: the Pods are Ready from then on.
  'k-never': NOTHING,
};

function expectedOf({ tag, how, pod }: RecordedCase, one: Recording): Expected {
  const name = nameOf(pod);
  const isKilled = killsOf(one, name).length > 0;
  const cause = CAUSES[how ?? ''] ?? 'http-5xx';
  switch (tag) {
    case 'never-s':
      // The restart of the kubelet in kr1 ends the startup probe before its verdict.
      return isKilled ? only(...startup(cause)) : NOTHING;
    case 'never-l':
      if (cause === 'http-5xx') return only(LIVENESS_503);
      return { must: [`app livenessProbe ${cause}`, STARTING], may: [`app readinessProbe ${cause}`] };
    case 'dead':
      // Readiness that fails only after the kill explains nothing.
      return readinessFailedBeforeKill(one, name)
        ? only(`app livenessProbe ${cause}`, `app readinessProbe ${cause}`, SERVING)
        : only(`app livenessProbe ${cause}`, SERVING);
    case 'flap': {
      const flap = `app readinessProbe ${cause}`;
      // Events come up to 9 s late.
      return unreadySeconds(one, name) >= 15 ? only(flap) : { must: [], may: [flap] };
    }
    case 'beyond':
      return only(...startup('timeout'));
    case 'tight-s':
      return isKilled ? only(...startup('http-5xx')) : NOTHING;
    case 'pre-hang':
      return { must: [LIVENESS_503], may: [SERVING] };
    default: {
      const expected = BY_TAG[tag];
      if (expected === undefined) throw new Error(`no expectation for ${tag}`);
      return expected;
    }
  }
}

function nameOf(object: Readonly<Record<string, unknown>>): string {
  return (object['metadata'] as { name: string }).name;
}

/** The times of the SIGTERMs of a Pod before its deletion. Only probes stop the containers of the recordings. */
function killsOf(one: Recording, name: string): number[] {
  const deletedAt = deletionOf(one, name);
  return (byPod(one.truth).get(name) ?? []).filter(({ ev, t }) => ev === 'sigterm' && t < deletedAt).map(({ t }) => t);
}

function readinessFailedBeforeKill(one: Recording, name: string): boolean {
  const [kill = 0] = killsOf(one, name);
  return (byPod(one.events).get(name) ?? []).some(
    ({ o }) =>
      String(o['message']).startsWith('Readiness probe failed') &&
      Date.parse(String(o['firstTimestamp'])) / 1000 <= Math.floor(kill),
  );
}

function deletionOf(one: Recording, name: string): number {
  const all = byPod(one.pods).get(name) ?? [];
  // SIGTERM may come before the watch tells the deletion.
  return (all.find(({ del, type }) => del !== undefined || type === 'DELETED')?.t ?? Infinity) - 1;
}

/** How long the watch showed the Pod as not ready after it had been ready. */
function unreadySeconds(one: Recording, name: string): number {
  let [since, sum, wasReady] = [0, 0, false];
  for (const { t, status } of byPod(one.pods).get(name) ?? []) {
    const [container] = (status?.['containerStatuses'] ?? []) as { ready: boolean }[];
    if (container?.ready === true) {
      if (since > 0) sum += t - since;
      [since, wasReady] = [0, true];
    } else if (wasReady && since === 0) since = t;
  }
  return sum;
}

function findingsByWorkload(found: readonly RecordedFinding[]): Map<string, RecordedFinding[]> {
  return Map.groupBy(found, ({ workload }) => workload);
}

function compare(name: string, found: readonly RecordedFinding[], { must, may = [] }: Expected): void {
  const findings = found.map(({ finding }) => finding);
  expect(findings, name).toStrictEqual(expect.arrayContaining([...must]));
  expect(
    findings.filter((one) => !must.includes(one) && !may.includes(one)),
    name,
  ).toStrictEqual([]);
}

describe('the watches of a real kubelet, replayed through pod health and diagnosis', () => {
  it.each<[Batch, number, number, number]>([
    // The Pods, those with a finding, and the findings.
    ['b1', 102, 67, 131],
    ['m3', 46, 37, 54],
    ['g1', 68, 44, 68],
    ['g2gate', 12, 12, 24],
    ['kr1', 40, 12, 18],
    ['same', 5, 5, 10],
  ])(
    'tell every injected fault of batch %s by its cause, and nothing of a healthy probe',
    (batch, pods, failing, count) => {
      const one = recording(batch);
      const found = recordedFindings(batch, one);
      const byName = findingsByWorkload(found);

      for (const each of one.cases) {
        const name = nameOf(each.pod);
        compare(`${batch}/${name}`, byName.get(name) ?? [], expectedOf(each, one));
      }
      expect([one.cases.length, byName.size, found.length]).toStrictEqual([pods, failing, count]);
    },
  );

  it('tell the Deployments of obs2 by their causes', () => {
    const found = recordedFindings('obs2');
    const byName = findingsByWorkload(found);
    const names = recording('obs2').deployments.map(({ name }) => name);
    for (const name of names) compare(name, byName.get(name) ?? [], BY_DEPLOYMENT[name] ?? NOTHING);
    expect([names.length, byName.size, found.length]).toStrictEqual([9, 5, 10]);
  });

  it.each<Batch>(['b1', 'm3', 'g1', 'g2gate', 'kr1', 'same', 'obs2'])(
    'never lose a finding of batch %s and tell it again',
    (batch) => {
      const found = recordedFindings(batch);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter(({ told }) => told.length > 1)).toStrictEqual([]);
    },
  );

  it.each<[Batch, number]>([
    ['b1', 50],
    ['m3', 36],
    ['g1', 35],
    ['g2gate', 12],
    ['kr1', 12],
    ['same', 5],
  ])('tell each kill of batch %s within 20 s: events come up to 9 s late', (batch, killed) => {
    const one = recording(batch);
    const byName = findingsByWorkload(recordedFindings(batch, one));
    let count = 0;
    for (const { pod } of one.cases) {
      const [first] = killsOf(one, nameOf(pod));
      if (first === undefined || deletionOf(one, nameOf(pod)) - first < 20) continue;
      count += 1;
      const told = (byName.get(nameOf(pod)) ?? []).map(({ told: [span] }) => span?.[0] ?? Infinity);
      expect(Math.min(...told) - first, nameOf(pod)).toBeLessThan(20);
    }
    expect(count).toBe(killed);
  });
});
