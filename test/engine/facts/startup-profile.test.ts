import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { readStartupProfile } from '../../../src/engine/facts/read-startup-profile.ts';
import { startsOfContainer, startsOfWorkload, profileName } from '../../../src/engine/facts/startup-profile.ts';
import { withoutSeconds, workloadStarts } from '../../../src/engine/facts/read-startup-profile.ts';
import type { WorkloadStarts } from '../../../src/engine/facts/startup-profile.ts';
import type { StartSample } from '../../../src/engine/facts/read-startup-profile.ts';
import { STARTUP_PROFILES } from '../../../src/cluster/sources/fact-kinds.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { percentile } from '../../../src/observer/starts/profile-update.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const sample = (seconds: number, restart = false): StartSample => ({
  seconds,
  within: 3,
  basis: 'startup',
  restart,
  node: 'n',
  at: `2026-11-20T10:00:${String(seconds).padStart(2, '0')}Z`,
  id: `s${seconds}`,
});
const document: JsonObject = {
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'StartupProfile',
  metadata: { name: 'deployment-web', namespace: 'apps' },
  status: {
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    containers: [
      {
        name: 'app',
        image: 'r/app:1',
        samples: [sample(20), sample(41), sample(9, true)],
        censored: 2,
        censoredBoundSeconds: 15,
        censoredAt: '2026-11-20T09:00:00Z',
        censoredIds: ['k1', 'k2'],
      },
      { name: 'cache', image: 'r/cache:1', samples: [] },
    ],
  },
};

describe('the facts of a StartupProfile', () => {
  it('are the figures of each container, and the measured starts', () => {
    const profile = readStartupProfile(document);
    const starts = profile && workloadStarts('deployment-web', profile);
    expect(starts && startsOfContainer(starts, 'app')).toEqual({
      name: 'app',
      starts: 2,
      longestSeconds: 41,
      boundSeconds: 15,
      seconds: [20, 41, 9],
    });
    expect(starts && startsOfContainer(starts, 'cache')).toEqual({
      name: 'cache',
      starts: 0,
      longestSeconds: 0,
      boundSeconds: 0,
      seconds: [],
    });
    expect(starts && startsOfContainer(starts, 'other')).toBeUndefined();
    expect(starts && startsOfContainer(withoutSeconds(starts), 'app')).toEqual({
      name: 'app',
      starts: 2,
      longestSeconds: 41,
      boundSeconds: 15,
    });
  });

  it('are found by the name of the workload', () => {
    const reading = STARTUP_PROFILES.read(document);
    const fact = reading?.problems === undefined ? reading?.fact : undefined;
    const others = ['a', 'deployment-wea', 'deployment-wec', 'z'].map((name) => ({ name, containers: [] }));
    const list = [...others.slice(0, 2), ...(fact ? [fact] : []), ...others.slice(2)].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    const starts = new ByNamespace(new Map([['apps', list]]));
    expect(startsOfWorkload(starts, 'apps', { kind: 'Deployment', name: 'web' })).toBe(fact);
    expect(startsOfWorkload(starts, 'apps', { kind: 'StatefulSet', name: 'web' })).toBeUndefined();
    expect(startsOfWorkload(starts, 'other', { kind: 'Deployment', name: 'web' })).toBeUndefined();
  });

  it('replace those of the same workload in other facts', () => {
    const below = new ByNamespace<WorkloadStarts>(
      new Map([
        [
          'apps',
          [
            { name: 'deployment-web', containers: [] },
            { name: 'statefulset-db', containers: [] },
          ],
        ],
      ]),
    );
    const above = {
      name: 'deployment-web',
      containers: [{ name: 'app', starts: 1, longestSeconds: 2, boundSeconds: 3 }],
    };
    const merged = below.with(new ByNamespace(new Map([['apps', [above]]])));
    expect(startsOfWorkload(merged, 'apps', { kind: 'Deployment', name: 'web' })).toBe(above);
    expect(startsOfWorkload(merged, 'apps', { kind: 'StatefulSet', name: 'db' })).toBeDefined();
  });

  it('leave out what is malformed', () => {
    const odd = { seconds: -1, basis: 'x' };
    const status = { workload: { apiVersion: 'v1', kind: 'K', name: 'n' } };
    const containers = [
      null,
      {},
      { name: 1 },
      { name: 'app', samples: [odd, null, { ...sample(3), seconds: 1e9 }, sample(4)], censored: 'x' },
    ];
    expect(readStartupProfile({ status: { ...status, containers } })?.containers).toMatchObject([
      { name: 'app', image: '', samples: [{ seconds: 4 }], killed: { count: 0, boundSeconds: 0 } },
    ]);
    for (const bad of [undefined, null, 1, [], {}, { workload: 1 }, { workload: {} }])
      expect(readStartupProfile({ status: bad })).toBeUndefined();
    for (const field of ['apiVersion', 'kind', 'name'])
      for (const value of [undefined, 1])
        expect(readStartupProfile({ status: { ...status, workload: { ...status.workload, [field]: value } } })).toBe(
          undefined,
        );
    expect(STARTUP_PROFILES.read({ metadata: {} })).toBeUndefined();
  });

  it('leave out a start that lacks its time, its basis, its instant or its identity, and no other', () => {
    const workload = { apiVersion: 'v1', kind: 'K', name: 'n' };
    const starts = (start: JsonObject): unknown =>
      readStartupProfile({ status: { workload, containers: [{ name: 'app', samples: [{ ...sample(3), ...start }] }] } })
        ?.containers[0]?.samples;
    for (const field of ['seconds', 'basis', 'at', 'id']) expect(starts({ [field]: null })).toEqual([]);
    expect(starts({ seconds: 86_401 })).toEqual([]);
    expect(starts({ seconds: 86_400, within: null, node: null, restart: 'true' })).toEqual([
      { ...sample(3), seconds: 86_400, within: 86_400, node: '', restart: false },
    ]);
  });
});

describe('a StartupProfile of an API server whose CRD has no bounds', () => {
  const { workload } = document['status'] as { workload: JsonObject };
  const container = { name: 'app', image: 'r/app:1', samples: [sample(3)], censoredIds: ['k'] };
  const long = 'x'.repeat(2000);
  const profile = (...containers: unknown[]): JsonObject => ({ ...document, status: { workload, containers } });
  const times = (count: number, element: unknown): unknown[] => Array.from({ length: count }, () => element);

  const also = (fields: JsonObject): JsonObject => profile({ ...container, ...fields });
  const nameless = { ...document, status: { workload: { ...workload, name: long } } };

  it.each<[place: string, most: string, count: number, profile: JsonObject]>([
    ['workload.name', '253 characters', 2000, nameless],
    ['containers', '64 containers', 65, profile(...times(65, container))],
    ['containers[1].name', '63 characters', 2000, profile(container, { ...container, name: long })],
    ['containers[0].image', '1024 characters', 2000, also({ image: long })],
    ['containers[0].samples', '30 starts', 31, also({ samples: times(31, sample(1)) })],
    ['containers[0].samples[1].id', '64 characters', 2000, also({ samples: [sample(1), { ...sample(1), id: long }] })],
    ['containers[0].samples[0].node', '64 characters', 2000, also({ samples: [{ ...sample(1), node: long }] })],
    ['containers[0].censoredAt', '64 characters', 2000, also({ censoredAt: long })],
    ['containers[0].censoredIds', '100 starts', 101, also({ censoredIds: times(101, 'k') })],
    ['containers[0].censoredIds[1]', '64 characters', 2000, also({ censoredIds: ['k', long] })],
  ])('has no effect beyond the bound of %s, and keeps nothing beyond the bound', (place, most, count, hostile) => {
    const reading = STARTUP_PROFILES.read(hostile);
    const problems = reading?.problems !== undefined ? reading.problems.map(formatProblem) : [];
    expect(problems).toEqual([`status.${place}: must have at most ${most}, not ${count}`]);
    // The observer reads what is within the bounds, and replaces the rest.
    expect(JSON.stringify(readStartupProfile(hostile) ?? {})).not.toContain(long);
    expect(readStartupProfile(hostile)?.containers.length ?? 0).toBeLessThanOrEqual(64);
  });

  it('has its effect at all bounds, within the budget of one object', () => {
    const names = Array.from({ length: 64 }, (_, index) => `${index}`.padStart(63, 'c'));
    const reading = STARTUP_PROFILES.read(
      profile(...names.map((name) => ({ ...container, name, samples: times(30, sample(1)) }))),
    );
    const fact = reading?.problems === undefined ? reading?.fact : undefined;
    expect(fact?.containers.length).toBe(64);
    expect(fact && STARTUP_PROFILES.bytes(withoutSeconds(fact))).toBeLessThan(STARTUP_PROFILES.limits.object);
  });
});

describe('the name of a profile', () =>
  it('follows from the workload, and has no more characters than the API server accepts', () => {
    expect(profileName('Deployment', 'web')).toBe('deployment-web');
    const long = `${'a'.repeat(240)}.b`;
    const name = profileName('ClusterDeployment', long);
    expect(name).toHaveLength(253);
    expect(name).toMatch(/^clusterdeployment-a+-[0-9a-f]{12}$/);
    expect(name).not.toBe(profileName('ClusterDeployment', `${'a'.repeat(240)}.c`));
  }));

describe('a percentile', () =>
  it('is a measured start', () => {
    const seconds = [5, 1, 4, 2, 3];
    expect([percentile(seconds, 0.5), percentile(seconds, 0.9), percentile([], 0.5)]).toEqual([3, 5, undefined]);
    expect(percentile([7], 0.5)).toBe(7);
  }));
