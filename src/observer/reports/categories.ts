import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';

/** The category of a check in reports. A check that is off until a policy sets its action is a house rule. */
export function categoryOf(id: string): string {
  const check = CHECK_CATALOGUE[id];
  if (check?.action === 'Off') return 'House rules';
  return check?.cannotWork === true ? 'Cannot work' : 'Will hurt';
}
