/** Checks whose violations cannot work at all, as the first part of the catalogue groups them. */
const CANNOT_WORK: ReadonlySet<string> = new Set([
  'valid-probe',
  'named-port',
  'https-scheme',
  'path-url',
  'probe-host',
  'header-value',
  'exec-command',
  'exec-shell',
  'exec-variable',
  'exec-image',
  'exec-always-true',
  'listen-address',
  'liveness-never-restarts',
]);

/** The checks of `Cannot work`, for the test that compares them with the catalogue. */
export const CHECKS_THAT_CANNOT_WORK: readonly string[] = [...CANNOT_WORK];

/** The category of a check in reports. A check that is off until a policy asks for it is a house rule. */
export function categoryOf(check: string, isHouseRule: boolean): string {
  if (isHouseRule) return 'House rules';
  return CANNOT_WORK.has(check) ? 'Cannot work' : 'Will hurt';
}
