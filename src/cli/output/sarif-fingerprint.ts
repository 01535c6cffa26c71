import { createHash } from 'node:crypto';
import { findingKey } from '../finding-identity.ts';
import type { FindingIdentity } from '../finding-identity.ts';

/** The version changes whenever the parts of the identity change. */
const FINGERPRINT = 'probewrightFinding/v1';

/**
 * Returns the fingerprint of a finding. The fingerprint is independent of files, lines and texts, so a finding that
 * moves stays the same alert.
 *
 * The name is our own. GitHub's upload action computes `primaryLocationLineHash` from the file, and warns of each value
 * that differs (src/fingerprints.ts in github/codeql-action).
 *
 * @param occurrence the number of the finding among the findings of the same identity, from 1
 */
export function fingerprintOf(finding: FindingIdentity, occurrence: number): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(findingKey(finding).toWellFormed()).digest('hex').slice(0, 32);
  return { [FINGERPRINT]: `${hash}:${occurrence}` };
}
