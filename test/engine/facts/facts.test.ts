import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { exceptionSource, mergedFacts, NO_FACTS, readNamespaceLabels } from '../../../src/engine/facts/facts.ts';
import { ServiceDigest } from '../../../src/engine/facts/services.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import type { Facts } from '../../../src/engine/facts/facts.ts';

const inApps = <T extends { readonly name: string }>(...objects: T[]): ByNamespace<T> =>
  new ByNamespace(new Map([['apps', objects]]));
const exception = (name: string, reason: string) => parsedException(exceptionDocument({ reason }, { name }));

describe('the facts of two sources', () => {
  const below: Facts = {
    namespaceLabels: new Map([
      ['apps', new Map([['tier', 'low']])],
      ['db', new Map([['tier', 'db']])],
    ]),
    exceptions: inApps(exception('a', 'From below, the one.'), exception('b', 'From below, the other.')),
    services: inApps(new ServiceDigest('web app=web 80')),
    starts: inApps({ name: 'deployment-web', containers: [] }, { name: 'deployment-x', containers: [] }),
  };
  const above: Facts = {
    namespaceLabels: new Map([['apps', new Map([['zone', 'a']])]]),
    exceptions: inApps(exception('a', 'From above, the one.')),
    services: inApps(new ServiceDigest('web app=web 8080')),
    starts: inApps({ name: 'deployment-web', containers: [], workload: { kind: 'Deployment', name: 'web' } }),
  };

  it('are those of both; of one object that both know, those of the upper one', () => {
    const merged = mergedFacts(below, above);
    expect([...merged.namespaceLabels].map(([name, labels]) => [name, [...labels]])).toEqual([
      ['apps', [['zone', 'a']]],
      ['db', [['tier', 'db']]],
    ]);
    expect(merged.exceptions.ofNamespace('apps').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(merged.exceptions.find('apps', 'a')).toBe(above.exceptions.find('apps', 'a'));
    expect(merged.services?.ofNamespace('apps').map(({ text }) => text)).toEqual(['web app=web 8080']);
    expect(merged.starts.ofNamespace('apps')).toEqual([
      above.starts.find('apps', 'deployment-web'),
      below.starts.find('apps', 'deployment-x'),
    ]);
  });

  it('leave Services unknown only if no source knows them', () => {
    const unknown = { ...NO_FACTS, services: undefined };
    expect(mergedFacts(unknown, unknown).services).toBeUndefined();
    expect(mergedFacts(below, unknown).services).toBe(below.services);
    expect(mergedFacts(unknown, above).services).toBe(above.services);
  });
});

describe('the source of an exception', () =>
  it('is its kind, namespace and name', () =>
    expect(exceptionSource('apps', 'legacy')).toBe('ProbeException/apps/legacy')));

describe('the labels of a namespace', () => {
  it('are texts, without the label that repeats the name', () =>
    expect([...readNamespaceLabels({ tier: 'web', a: 1, 'kubernetes.io/metadata.name': 'apps' })]).toEqual([
      ['tier', 'web'],
    ]));

  it('are one empty map for all namespaces without labels', () => {
    expect(readNamespaceLabels({ 'kubernetes.io/metadata.name': 'db' })).toBe(readNamespaceLabels(undefined));
    expect(readNamespaceLabels([]).size).toBe(0);
  });
});
