import { expect, it } from 'vitest';
import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { categoryOf } from '../../src/observer/reports/report-result.ts';

it('the checks of the category "Cannot work" are the first of the catalogue, so reports and docs group them alike', () => {
  const first = CHECKS.filter(({ id }) => categoryOf(id) === 'Cannot work');
  expect(first.map(({ id }) => id)).toContain('valid-probe');
  expect(first).toEqual(CHECKS.slice(0, first.length));
});

it('the category of a check follows from its definition', () => {
  expect(['named-port', 'single-failure', 'probe-bounds'].map(categoryOf)).toEqual([
    'Cannot work',
    'Will hurt',
    'House rules',
  ]);
});
