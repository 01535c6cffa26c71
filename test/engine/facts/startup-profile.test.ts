import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { startsOfContainer, startsOfWorkload, profileName } from '../../../src/engine/facts/startup-profile.ts';
import type { WorkloadStarts } from '../../../src/engine/facts/startup-profile.ts';
import { percentile } from '../../../src/observer/starts/profile-update.ts';

const startsNamed = (name: string): WorkloadStarts => ({ name, containers: [] });

describe('the facts of a StartupProfile', () => {
  it('are found by the name of the workload', () => {
    const web = startsNamed('deployment-web');
    const list = ['a', 'deployment-wea', 'deployment-wec', 'z'].map(startsNamed);
    const starts = new ByNamespace(new Map([['apps', [...list, web].sort((a, b) => (a.name < b.name ? -1 : 1))]]));
    expect(startsOfWorkload(starts, 'apps', { kind: 'Deployment', name: 'web' })).toBe(web);
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

  it('are those of the container with the name', () => {
    const app = { name: 'app', starts: 1, longestSeconds: 2, boundSeconds: 3 };
    const starts = { name: 'deployment-web', containers: [{ ...app, name: 'other' }, app] };
    expect(startsOfContainer(starts, 'app')).toBe(app);
    expect(startsOfContainer(starts, 'ap')).toBeUndefined();
  });
});

describe('the name of a profile', () =>
  it('follows from the workload, and has no more characters than the API server accepts', () => {
    expect(profileName('Deployment', 'web')).toBe('deployment-web');
    expect(profileName('Deployment', 'a'.repeat(242))).toBe(`deployment-${'a'.repeat(242)}`);
    expect(profileName('Deployment', 'a'.repeat(243))).toMatch(/^deployment-a{229}-[0-9a-f]{12}$/);
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
