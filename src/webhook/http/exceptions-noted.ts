import type { Decision } from '../review/decision.ts';
import type { AdmissionRequest } from '../review/review.ts';

/** Calls back once for each exception that allowed violations of a request. A dry run counts for nothing. */
export function noteExceptions(
  { namespace, dryRun }: AdmissionRequest,
  { violations }: Decision,
  matched: ((namespace: string, name: string) => void) | undefined,
): void {
  if (matched === undefined || violations === undefined || dryRun) return;
  let names: Set<string> | undefined;
  for (const { exception } of violations) if (exception !== undefined) (names ??= new Set()).add(exception.name);
  if (names !== undefined) for (const name of names) matched(namespace, name);
}
