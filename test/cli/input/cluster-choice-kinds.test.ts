import { describe, expect, it } from 'vitest';
import { wantedKinds, type ClusterName } from '../../../src/cli/input/cluster-choice.ts';
import type { ClusterKind } from '../../../src/cluster/sources/cluster-kinds.ts';

const kind = (group: string, version: string, resource: string, ...names: readonly string[]): ClusterKind =>
  ({ group, apiVersion: group === '' ? version : `${group}/${version}`, resource, names }) as unknown as ClusterKind;
const PODS = kind('', 'v1', 'pods', 'po', 'pod', 'pods');
const DEPLOYMENTS = kind('apps', 'v1', 'deployments', 'deploy', 'deployment', 'deployments');
const ROLLOUTS = kind('argoproj.io', 'v1alpha1', 'rollouts', 'rollout', 'rollouts');
const KINDS = [PODS, DEPLOYMENTS, ROLLOUTS];

/** The kinds to read for these words, with the names of each; `*` = all. */
function wanted(...words: readonly string[]): readonly string[] {
  const names = words.map((word): ClusterName => {
    const [type = '', name] = word.split('/');
    return { type, name };
  });
  const { wanted: kinds, problems } = wantedKinds(names, KINDS);
  return [...[...kinds].map(([{ resource }, of]) => `${resource} ${of ? [...of].join() : '*'}`), ...problems];
}

describe('the kinds of a cluster that names want', () => {
  it('are all kinds with all names without a name', () => {
    expect(wanted()).toEqual(['pods *', 'deployments *', 'rollouts *']);
  });

  it('are the named kinds with the named objects, in the order of the names', () => {
    expect(wanted('rollout/b', 'deploy/web', 'Deployment/api', 'deploy/web')).toEqual([
      'rollouts b',
      'deployments web,api',
    ]);
    expect(wanted('po')).toEqual(['pods *']);
  });

  it('are all objects of a kind that is also named as a whole, in whatever order', () => {
    expect(wanted('deploy/web', 'deployments')).toEqual(['deployments *']);
    expect(wanted('deployments', 'deploy/web')).toEqual(['deployments *']);
  });

  it.each([
    ['deployments.apps', true],
    ['deployments.v1.apps', true],
    ['deployments.v1', false],
    ['deployments.batch', false],
    ['rollouts.v1alpha1.argoproj.io', true],
    ['rollouts.argoproj.io', true],
    ['rollouts.argoproj', false],
  ])('are named with group and version as with kubectl: %s: %s', (word, isKnown) => {
    expect(wanted(`${word}/web`)[0]?.endsWith(' web')).toBe(isKnown);
  });

  it('are a problem once for each word that names none, with those that there are', () => {
    const problem = (word: string): string =>
      `the cluster has no kind of workload "${word}"; it has pods, deployments, rollouts`;
    expect(wanted('widget/a', 'widget/b', 'gadget/c', 'po/web')).toEqual([
      'pods web',
      problem('widget'),
      problem('gadget'),
    ]);
  });
});
