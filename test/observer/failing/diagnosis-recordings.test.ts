import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { byPod, recording, type Batch, type Recording, type RecordedCase } from '../../kubelet/recordings.ts';
import { recordedFindings, type RecordedFinding } from '../recorded-findings.ts';

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

/** By the name of the case, whose script says what the containers do, and by the name of the Deployments of obs2. */
const { cases: BY_TAG, deployments: BY_DEPLOYMENT } = JSON.parse(
  readFileSync('test/fixtures/kubelet-findings.json', 'utf8'),
) as Readonly<Record<'cases' | 'deployments', Readonly<Record<string, Expected>>>>;

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
    ['m3', 46, 37, 53],
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
    expect([names.length, byName.size, found.length]).toStrictEqual([9, 6, 11]);
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
