import { describe, expect, it } from 'vitest';
import { selects, type Requirement } from '../../../src/engine/policy/label-selector.ts';

const labels = new Map([['tier', 'web']]);
const requirement = (operator: Requirement['operator'], key: string, ...values: string[]): Requirement => ({
  ...{ key, operator, values },
});

describe('a requirement on labels', () =>
  it.each([
    [requirement('In', 'tier', 'api', 'web'), true],
    [requirement('In', 'tier', 'api'), false],
    [requirement('In', 'zone', 'api'), false],
    [requirement('NotIn', 'tier', 'api'), true],
    [requirement('NotIn', 'tier', 'api', 'web'), false],
    [requirement('NotIn', 'zone', 'api'), true],
    [requirement('Exists', 'tier'), true],
    [requirement('Exists', 'zone'), false],
    [requirement('DoesNotExist', 'tier'), false],
    [requirement('DoesNotExist', 'zone'), true],
  ])('%j is met by tier=web: %s', (one, isMet) => expect(selects([one], labels)).toBe(isMet)));

describe('a selector', () =>
  it('selects what meets every requirement, and everything when it has none', () => {
    const [met, unmet] = [requirement('Exists', 'tier'), requirement('Exists', 'zone')];
    expect(selects([met, met], labels)).toBe(true);
    expect(selects([met, unmet], labels)).toBe(false);
    expect(selects([unmet, met], labels)).toBe(false);
    expect(selects([], labels)).toBe(true);
  }));
