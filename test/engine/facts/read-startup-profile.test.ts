import { describe, expect, it } from 'vitest';
import {
  figuresOf,
  profileProblem,
  readStartupProfile,
  startsOfProfile,
  withoutSeconds,
  workloadStarts,
  type StartSample,
} from '../../../src/engine/facts/read-startup-profile.ts';
import { startsOfContainer } from '../../../src/engine/facts/startup-profile.ts';
import { STARTUP_PROFILES } from '../../../src/cluster/sources/fact-kinds.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
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

describe('a StartupProfile', () => {
  it('is read with all of its starts, and with the starts that a probe ended', () =>
    expect(readStartupProfile(document)).toEqual({
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      containers: [
        {
          name: 'app',
          image: 'r/app:1',
          samples: [sample(20), sample(41), sample(9, true)],
          killed: { count: 2, boundSeconds: 15, at: '2026-11-20T09:00:00Z', ids: ['k1', 'k2'] },
        },
        { name: 'cache', image: 'r/cache:1', samples: [], killed: { count: 0, boundSeconds: 0, at: '', ids: [] } },
      ],
    }));

  it('of another observer may have readiness as basis, and parts that are no texts or numbers', () => {
    const containers = [
      {
        name: 'app',
        image: 5,
        samples: [{ ...sample(1), basis: 'readiness' }],
        ...{ censored: -1, censoredBoundSeconds: 86_401, censoredAt: 5, censoredIds: ['k', 5, null] },
      },
    ];
    const status = { workload: { apiVersion: 'v1', kind: 'K', name: 'n' }, containers };
    expect(readStartupProfile({ status })?.containers).toEqual([
      {
        name: 'app',
        image: '',
        samples: [{ ...sample(1), basis: 'readiness' }],
        killed: { count: 0, boundSeconds: 0, at: '', ids: ['k'] },
      },
    ]);
  });

  it('has the figures of its containers: only starts of new Pods are counted, and all are measured', () => {
    const killed = { count: 0, boundSeconds: 15, at: '', ids: [] };
    const figures = (...samples: StartSample[]) => figuresOf({ name: 'app', image: '', samples, killed });
    expect(figures(sample(20), sample(50, true))).toEqual({ starts: 1, longestSeconds: 50, boundSeconds: 15 });
    expect(figures()).toEqual({ starts: 0, longestSeconds: 0, boundSeconds: 15 });
  });

  it('names its workload for those who ask, and not what the webhook does not keep', () => {
    const profile = readStartupProfile(document);
    const starts = profile && workloadStarts('deployment-web', profile);
    expect(starts?.workload).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' });
    expect(starts && withoutSeconds(starts)).not.toHaveProperty('workload');
  });

  it('is within its bounds as long as nothing is larger than the bound', () => {
    const at = 'x'.repeat(64);
    const containers = [{ name: 'app', censoredAt: at, samples: [{ ...sample(1), at, id: at, node: at }] }];
    expect(profileProblem({ status: { containers } })).toBeUndefined();
    for (const status of [undefined, null, 5, [], {}, { containers: {} }, { containers: [5, null, { samples: 'x' }] }])
      expect(profileProblem({ status })).toBeUndefined();
    const late = { status: { containers: [...containers, { samples: [{ at: `${at}x` }] }] } };
    expect(profileProblem(late)).toEqual({
      path: ['status', 'containers', 1, 'samples', 0, 'at'],
      message: 'must have at most 64 characters, not 65',
    });
  });
});

describe('the facts of a StartupProfile', () => {
  it('are the figures of each container, and the measured starts', () => {
    const profile = readStartupProfile(document);
    const starts = profile && workloadStarts('deployment-web', profile);
    expect(starts && startsOfContainer(starts, 'app')).toEqual({
      name: 'app',
      starts: 2,
      longestSeconds: 41,
      boundSeconds: 15,
      images: [],
      seconds: [20, 41, 9],
    });
    expect(starts && startsOfContainer(starts, 'cache')).toEqual({
      name: 'cache',
      starts: 0,
      longestSeconds: 0,
      boundSeconds: 0,
      images: [],
      seconds: [],
    });
    expect(starts && startsOfContainer(starts, 'other')).toBeUndefined();
    expect(starts && startsOfContainer(withoutSeconds(starts), 'app')).toEqual({
      name: 'app',
      starts: 2,
      longestSeconds: 41,
      boundSeconds: 15,
      images: [],
    });
  });

  it('are those of each image too, where a start names its image', () => {
    const of = (image: string, seconds: number, restart = false) => ({ ...sample(seconds, restart), image });
    const samples = [of('r/app:1', 12), of('r/app:2', 90, true), sample(20), of('r/app:2', 80), of('', 7)];
    const killed = { count: 0, boundSeconds: 0, at: '', ids: [] };
    expect(startsOfProfile({ name: 'app', image: 'r/app:2', samples, killed })).toEqual({
      ...{ name: 'app', starts: 4, longestSeconds: 90, boundSeconds: 0 },
      images: [
        { image: 'r/app:1', starts: 1, longestSeconds: 12 },
        { image: 'r/app:2', starts: 1, longestSeconds: 90 },
      ],
    });
  });

  it('have no start that no kubelet can have measured, and each start once', () => {
    const status = { workload: { apiVersion: 'v1', kind: 'K', name: 'n' } };
    const read = (...samples: JsonObject[]): unknown =>
      readStartupProfile({ status: { ...status, containers: [{ name: 'app', samples }] } })?.containers[0]?.samples;
    for (const odd of [
      { seconds: 0 },
      { seconds: 0.5 },
      { at: 'yesterday' },
      { at: '2026-02-30T00:00:00Z' },
      { at: '' },
    ])
      expect(read({ ...sample(3), ...odd })).toEqual([]);
    expect(read({ ...sample(3) }, { ...sample(3), seconds: 5 }, { ...sample(3) })).toEqual([sample(3)]);
    // The figures of the status say nothing without the starts that they follow from.
    const figures = { starts: 30, maxSeconds: 12, budgetSeconds: 31 };
    const bare = readStartupProfile({ status: { ...status, ...figures, containers: [{ name: 'app', ...figures }] } });
    expect(bare?.containers.map(startsOfProfile)).toMatchObject([{ starts: 0, longestSeconds: 0, boundSeconds: 0 }]);
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
