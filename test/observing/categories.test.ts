import { expect, it } from 'vitest';
import { CHECK_CATALOGUE, CHECKS } from '../../src/checks/catalogue.ts';
import { CHECKS_THAT_CANNOT_WORK } from '../../src/observing/reports/categories.ts';

it('the checks of the category "Cannot work" are checks, and the first of the catalogue', () => {
  expect(CHECKS_THAT_CANNOT_WORK.filter((id) => !Object.hasOwn(CHECK_CATALOGUE, id))).toEqual([]);
  const first = CHECKS.slice(0, CHECKS_THAT_CANNOT_WORK.length).map(({ id }) => id);
  expect(first).toEqual(CHECKS_THAT_CANNOT_WORK);
});
