import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { stricter } from '../policy/action.ts';
import type { Violation } from '../checks/violation.ts';

/**
 * The violations of an object to show: two of one container with the same advice are one. The strictest stays, then the
 * one that advises more, then the first. This comes last, because a floor, an exception, an update, a comment or a
 * baseline may allow one of the two.
 */
export function withoutRepeats<Found extends Violation>(violations: readonly Found[]): readonly Found[] {
  const byPart = new Map<string, Found[]>();
  const partsOf = new Map(violations.map((violation) => [violation, partsOfAdvice(violation)]));
  for (const [violation, parts] of partsOf)
    for (const part of parts) byPart.set(part, [...(byPart.get(part) ?? []), violation]);
  return violations.filter((one) => {
    const parts = partsOf.get(one) ?? [];
    const alike = byPart.get(parts[0] ?? '') ?? [];
    return !alike.some((other) => {
      // The words about one probe leave out another probe that the same check finds. The API server shows all causes.
      const isOther = other.probe !== one.probe || one.reason !== undefined;
      if (other === one || (other.check === one.check && isOther)) return false;
      const others = partsOf.get(other) ?? [];
      if (stricter(other.action, one.action) !== other.action || !parts.every((part) => others.includes(part)))
        return false;
      return other.action !== one.action || others.length > parts.length || alike.indexOf(other) < alike.indexOf(one);
    });
  });
}

/**
 * The edits as texts, or the words where there are no edits. None for a violation that must be shown: of a check that
 * policies ask for, and one with an exception. Words without a probe may be about different fields.
 */
function partsOfAdvice(violation: Violation): readonly string[] {
  const { action, check, container, edits, ended, remedy, template } = violation;
  if (action === 'Excepted' || ended !== undefined || CHECK_CATALOGUE[check]?.action === 'Off') return [];
  const words = remedy?.includes('Probe') === true ? [remedy] : [];
  const parts = edits === undefined ? words : edits.map(({ path, value }) => [path, value]);
  return parts.map((part) => JSON.stringify([template, container, part]));
}
