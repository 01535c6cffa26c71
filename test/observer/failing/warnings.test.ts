import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWarning, Warnings, type Warning } from '../../../src/observer/failing/warnings.ts';

const warning = (kind: string, name: string, at: number, namespace = 'apps'): Warning => ({
  ...{ namespace, kind, name, at },
  ...{ container: undefined, reason: 'FailedCreate', words: 'exceeded quota' },
});

describe('the warnings about what a workload has made', () => {
  const name = fc
    .array(fc.constantFrom('web', 'db', '1'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('-'));
  const told = fc.record({
    namespace: fc.constantFrom('apps', 'shop'),
    kind: fc.constantFrom('ReplicaSet', 'Job'),
    name,
  });

  it('are those of objects with its name and one word more, and its own', () =>
    fc.assert(
      fc.property(fc.array(told), name, (objects, workload) => {
        const warnings = new Warnings();
        const all = [...new Map(objects.map((each) => [JSON.stringify(each), each])).values()];
        const isMade = (each: (typeof all)[number]): boolean =>
          each.kind === 'ReplicaSet' &&
          each.name.startsWith(`${workload}-`) &&
          !each.name.slice(workload.length + 1).includes('-');
        // Asked between two events, too: what was asked before counts no longer.
        for (const [at, each] of all.entries()) {
          warnings.add(warning(each.kind, each.name, at, each.namespace), 0);
          warnings.ofMade('apps', 'Deployment', workload, 'ReplicaSet');
        }
        const expected = all.filter((each) => each.namespace === 'apps' && isMade(each)).map((each) => each.name);
        const found = warnings.ofMade('apps', 'Deployment', workload, 'ReplicaSet').map((each) => each.name);
        expect(found.toSorted()).toEqual(expected.toSorted());
      }),
    ));

  it('are the latest first, and are forgotten after an hour', () => {
    const warnings = new Warnings();
    warnings.add(warning('ReplicaSet', 'web-a', 1), 0);
    warnings.add(warning('Deployment', 'web', 2), 1);
    const names = (): string[] => warnings.ofMade('apps', 'Deployment', 'web', 'ReplicaSet').map((each) => each.name);
    expect(names()).toEqual(['web', 'web-a']);
    warnings.forgetOld(3_600_001);
    expect(names()).toEqual(['web']);
  });

  it('are none for a kind that makes its Pods itself', () => {
    const warnings = new Warnings();
    warnings.add(warning('ReplicaSet', 'web-a', 1), 0);
    expect(warnings.ofMade('apps', 'StatefulSet', 'web', undefined)).toEqual([]);
  });
});

describe('a warning', () => {
  const event = {
    ...{ type: 'Warning', reason: 'FailedCreate', message: 'exceeded  quota\n', metadata: { namespace: 'apps' } },
    ...{ involvedObject: { kind: 'ReplicaSet', name: 'web-a' }, lastTimestamp: '2026-11-20T10:00:00Z' },
  };

  it('has the words of its event on one line', () =>
    expect(readWarning(event)).toEqual({
      ...warning('ReplicaSet', 'web-a', Date.parse('2026-11-20T10:00:00Z')),
      words: 'exceeded quota',
    }));

  it.each([
    ['a normal event', { type: 'Normal' }],
    ['an event about a probe', { reason: 'Unhealthy' }],
    ['what the status tells in the same words', { reason: 'FailedScheduling' }],
    ['a reason that is no word', { reason: 'a b' }],
    ['an event without a message', { message: ' ' }],
  ])('is not read from %s', (_, changed) => expect(readWarning({ ...event, ...changed })).toBeUndefined());
});
