import { describe, expect, it } from 'vitest';
import { LearnedStarts, startsOfContainer, withoutSeconds, workloadStarts } from '../../src/facts/learned-starts.ts';
import { percentile, profileName, readStartupProfile } from '../../src/facts/startup-profile.ts';
import { STARTUP_PROFILES } from '../../src/sources/startup-profile-kind.ts';
import type { StartSample } from '../../src/facts/startup-profile.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

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
      starts: 2,
      longestSeconds: 41,
      boundSeconds: 15,
      seconds: [20, 41, 9],
    });
    expect(starts && startsOfContainer(starts, 'cache')).toEqual({
      starts: 0,
      longestSeconds: 0,
      boundSeconds: 0,
      seconds: [],
    });
    expect(starts && startsOfContainer(starts, 'other')).toBeUndefined();
    expect(starts && startsOfContainer(withoutSeconds(starts), 'app')).toEqual({
      starts: 2,
      longestSeconds: 41,
      boundSeconds: 15,
    });
  });

  it('are found by the name of the workload', () => {
    const reading = STARTUP_PROFILES.read(document, {});
    const fact = reading !== undefined && 'fact' in reading ? reading.fact : undefined;
    const others = ['a', 'deployment-wea', 'deployment-wec', 'z'].map((name) => ({ name, figures: [] }));
    const list = [...others.slice(0, 2), ...(fact ? [fact] : []), ...others.slice(2)].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    const starts = new LearnedStarts(new Map([['apps', list]]));
    expect(starts.ofWorkload('apps', 'Deployment', 'web')).toBe(fact);
    expect(starts.ofWorkload('apps', 'StatefulSet', 'web')).toBeUndefined();
    expect(starts.ofWorkload('other', 'Deployment', 'web')).toBeUndefined();
  });

  it('replace those of the same workload in other facts', () => {
    const below = new LearnedStarts(
      new Map([
        [
          'apps',
          [
            { name: 'deployment-web', figures: [] },
            { name: 'statefulset-db', figures: [] },
          ],
        ],
      ]),
    );
    const above = { name: 'deployment-web', figures: ['app', 1, 2, 3] };
    const merged = below.with(new LearnedStarts(new Map([['apps', [above]]])));
    expect(merged.ofWorkload('apps', 'Deployment', 'web')).toBe(above);
    expect(merged.ofWorkload('apps', 'StatefulSet', 'db')).toBeDefined();
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
    expect(STARTUP_PROFILES.read({ metadata: {} }, {})).toBeUndefined();
  });
});

describe('the name of a profile', () => {
  it('follows from the workload, and has no more characters than the API server accepts', () => {
    expect(profileName('Deployment', 'web')).toBe('deployment-web');
    const long = `${'a'.repeat(240)}.b`;
    const name = profileName('ClusterDeployment', long);
    expect(name).toHaveLength(253);
    expect(name).toMatch(/^clusterdeployment-a+-[0-9a-f]{12}$/);
    expect(name).not.toBe(profileName('ClusterDeployment', `${'a'.repeat(240)}.c`));
  });
});

describe('a percentile', () => {
  it('is a measured start', () => {
    const samples = [5, 1, 4, 2, 3].map((seconds) => sample(seconds));
    expect([percentile(samples, 0.5), percentile(samples, 0.9), percentile([], 0.5)]).toEqual([3, 5, undefined]);
    expect(percentile([sample(7)], 0.5)).toBe(7);
  });
});
