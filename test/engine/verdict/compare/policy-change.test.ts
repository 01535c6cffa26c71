import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../../src/engine/checks/catalogue.ts';
import { ByNamespace } from '../../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../../src/engine/facts/facts.ts';
import { Snapshot } from '../../../../src/engine/facts/snapshot.ts';
import { knownSources, snapshotAfter, unknownRemovals } from '../../../../src/engine/verdict/compare/policy-change.ts';
import { exceptionDocument, withExceptionsInApps } from '../../../support/exceptions.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../../support/worlds.ts';

const NOTHING = policySet();
const all = clusterPolicyDocument({ port: 80 }, 'all');
const web = policyDocument({ port: 81 }, 'web');
const files = policySet(all, web);
/** The same two policies in files, and others of the cluster above them. */
const cluster = policySet(policyDocument({ port: 82 }, 'web'), policyDocument({ port: 83 }, 'api'));
const both = NOTHING.with([...files.tiers, ...cluster.tiers], NO_FACTS);
const legacy = (name: string): object => exceptionDocument({}, { name });

/** The policies of each tier, with their ports. */
const tiersOf = ({ tiers }: Snapshot): string[][] =>
  tiers.map(({ policies }) => policies.map(({ source, port }) => `${source} ${String(port)}`));

describe('the snapshot after a change', () => {
  it('has an applied policy in the highest tier, in place of the one with its name', () => {
    const applied = policySet(policyDocument({ port: 90 }, 'web'), policyDocument({ port: 91 }, 'new'));
    expect(tiersOf(snapshotAfter(both, { applied, removed: [] }))).toEqual([
      ['ClusterProbePolicy/all 80', 'ProbePolicy/apps/web 81'],
      ['ProbePolicy/apps/web 90', 'ProbePolicy/apps/api 83', 'ProbePolicy/apps/new 91'],
    ]);
    expect(tiersOf(both)[1]).toEqual(['ProbePolicy/apps/web 82', 'ProbePolicy/apps/api 83']);
  });

  it('lacks a removed policy of the highest tier that has it, and of no tier below', () => {
    const after = (...removed: string[]): string[][] => tiersOf(snapshotAfter(both, { applied: NOTHING, removed }));
    expect(after('ProbePolicy/apps/web')).toEqual([
      ['ClusterProbePolicy/all 80', 'ProbePolicy/apps/web 81'],
      ['ProbePolicy/apps/api 83'],
    ]);
    expect(after('ClusterProbePolicy/all', 'ProbePolicy/apps/unknown')).toEqual([
      ['ProbePolicy/apps/web 81'],
      ['ProbePolicy/apps/web 82', 'ProbePolicy/apps/api 83'],
    ]);
  });

  it('lacks a policy that is applied and removed at once', () => {
    const change = { applied: policySet(web), removed: ['ProbePolicy/apps/web'] };
    expect(tiersOf(snapshotAfter(NOTHING, change))).toEqual([[]]);
    expect(tiersOf(snapshotAfter(Snapshot.of(CHECK_CATALOGUE, []), change))).toEqual([[]]);
  });

  it('begins with one tier where there was none', () =>
    expect(tiersOf(snapshotAfter(NOTHING.with([], NO_FACTS), { applied: files, removed: [] }))).toEqual([
      ['ClusterProbePolicy/all 80', 'ProbePolicy/apps/web 81'],
    ]));

  it('has the exceptions of both, without the removed ones', () => {
    const before = withExceptionsInApps(NOTHING, [legacy('a'), legacy('b')]);
    const applied = withExceptionsInApps(NOTHING, [legacy('c')]);
    const removed = ['ProbeException/apps/b', 'ProbeException/other/a'];
    const { exceptions } = snapshotAfter(before, { applied, removed }).facts;
    expect(exceptions.ofNamespace('apps').map(({ name }) => name)).toEqual(['a', 'c']);
    expect(before.facts.exceptions.ofNamespace('apps')).toHaveLength(2);
  });

  it('has the labels that a change gives a namespace, and all other facts as they were', () => {
    const labels = (value: string) => new Map([['apps', new Map([['tier', value]])]]);
    const starts = new ByNamespace(new Map([['apps', [{ name: 'deployment-web', containers: [] }]]]));
    const before = NOTHING.withFacts({ ...NO_FACTS, namespaceLabels: labels('old'), starts });
    const applied = NOTHING.withFacts({ ...NO_FACTS, namespaceLabels: labels('new') });
    const { facts } = snapshotAfter(before, { applied, removed: [] });
    expect(facts.namespaceLabels).toEqual(labels('new'));
    expect(facts.starts.ofNamespace('apps')).toEqual(starts.ofNamespace('apps'));
  });
});

describe('a removal', () => {
  it('names a policy or an exception of the snapshot or of the change', () => {
    const before = withExceptionsInApps(both, [legacy('a')]);
    const change = (...removed: string[]) => ({ applied: policySet(policyDocument({}, 'new')), removed });
    expect(
      unknownRemovals(
        before,
        change('ProbePolicy/apps/new', 'ClusterProbePolicy/all', 'ProbeException/apps/a', 'ProbePolicy/apps/api'),
      ),
    ).toEqual([]);
    expect(unknownRemovals(before, change('ProbePolicy/apps/all', 'ProbeException/other/a'))).toEqual([
      'ProbePolicy/apps/all',
      'ProbeException/other/a',
    ]);
  });

  it('may name what is known of any snapshot', () =>
    expect(knownSources(files, withExceptionsInApps(NOTHING, [legacy('a')]))).toEqual([
      'ClusterProbePolicy/all',
      'ProbePolicy/apps/web',
      'ProbeException/apps/a',
    ]));
});
