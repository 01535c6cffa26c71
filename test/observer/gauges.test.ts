import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { byNamespace, gauge, namespaceGauge, OTHER_NAMESPACES } from '../../src/observer/gauges.ts';

const shown = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('probewright_'));

describe('the namespaces of a metric', () => {
  it('are at most as many as the limit, and no count is lost', () => {
    const found = Array.from({ length: 500 }, (_, index) =>
      Array.from({ length: index }, () => [`ns-${index}`, 'missed'] as const),
    ).flat();
    const shown = byNamespace(found, 200);
    expect(shown.size).toBe(201);
    expect([...shown.keys()].slice(0, 2)).toStrictEqual(['ns-499', 'ns-498']);
    expect([...shown.values()].flat()).toHaveLength((499 * 500) / 2);
    expect(shown.get(OTHER_NAMESPACES)).toHaveLength((299 * 300) / 2);
  });

  it('are those with the most, then the first by name, and share nothing while there is room', () => {
    const found = [...['c', 'b', 'a'].map((name) => [name, 'missed'] as const), ['d', 'x'], ['d', 'y']] as const;
    expect([...byNamespace(found, 4)]).toEqual([
      ['d', ['x', 'y']],
      ['a', ['missed']],
      ['b', ['missed']],
      ['c', ['missed']],
    ]);
    expect([...byNamespace(found, 3).keys()]).toEqual(['d', 'a', 'b', OTHER_NAMESPACES]);
    expect([...byNamespace(found, 2)].at(-1)).toEqual([OTHER_NAMESPACES, ['missed', 'missed']]);
    expect([...byNamespace([])]).toEqual([]);
  });

  it('are 200 unless another number is given', () => {
    const found = (count: number): [string, string][] => Array.from({ length: count }, (_, index) => [`${index}`, 'x']);
    expect(byNamespace(found(200)).has(OTHER_NAMESPACES)).toBe(false);
    expect(byNamespace(found(201)).get(OTHER_NAMESPACES)).toEqual(['x']);
  });

  it('have a series for each cause, and none for what is over', async () => {
    const registry = new Registry();
    let found = [
      ['shop', 'missed'],
      ['shop', 'outdated'],
      ['shop', 'missed'],
      ['blog', 'missed'],
    ] as [string, string][];
    namespaceGauge('probewright_test', 'help', () => found, [registry]);
    expect(await shown(registry)).toEqual([
      'probewright_test{namespace="shop",cause="missed"} 2',
      'probewright_test{namespace="shop",cause="outdated"} 1',
      'probewright_test{namespace="blog",cause="missed"} 1',
    ]);
    found = [['blog', 'outdated']];
    expect(await shown(registry)).toEqual(['probewright_test{namespace="blog",cause="outdated"} 1']);
  });
});

it('a gauge shows its value, and while there is none the value before', async () => {
  const registry = new Registry();
  let value: number | undefined;
  gauge('probewright_test', 'help', [registry], () => value);
  expect(await shown(registry)).toEqual(['probewright_test 0']);
  value = 7;
  expect(await shown(registry)).toEqual(['probewright_test 7']);
  value = undefined;
  expect(await shown(registry)).toEqual(['probewright_test 7']);
});
