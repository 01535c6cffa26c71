import { REFUSED } from './ca-adoption.ts';
import { dataOf } from './ca-secret.ts';
import { keysBeyond, SECRET_LABELS } from './ca-state.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Adoptable } from './ca-adoption.ts';
import type { CaState } from './ca-state.ts';

const REMEDY = "Put another CA there, or delete the Secret for one of Probewright's own";

/**
 * Throws when a write would destroy what somebody else has put into the Secret: a serving pair, or a CA whose key may
 * be nowhere else. The message says what to do.
 *
 * @param where the Secret, for the message
 * @param state the CAs in memory; undefined when there are none yet
 */
export function throwIfOthers(
  where: string,
  object: KubernetesObject,
  { problems, refusal, state: readable }: Adoptable,
  state: CaState | undefined,
): void {
  if (problems.length === 0) return;
  if (isForeign(object)) throw new Error(`${where} is somebody else's: it has no ca.key. Choose another --ca-secret`);
  const beyond = isLabelled(object) ? [] : keysBeyond(dataOf(object), state ?? readable);
  if (refusal === undefined && beyond.length > 0)
    throw new Error(
      `${where} is not labelled as Probewright's, and a write would destroy what somebody put into ${beyond.join(', ')}. ` +
        `It cannot be used: ${problems.join('; ')}. ${REMEDY}`,
    );
  // A refused CA in a labelled Secret is a mistake that can be undone when the CA from before is in memory.
  if (refusal === undefined || (state !== undefined && isLabelled(object))) return;
  throw new Error(`${where}: ca.crt: ${REFUSED}: ${refusal}. ${REMEDY}`);
}

function isLabelled({ metadata: { labels } }: KubernetesObject): boolean {
  return Object.entries(SECRET_LABELS).every(([key, value]) => labels?.[key] === value);
}

/**
 * True for a Secret that was never Probewright's: a serving pair of somebody's, in which `ca.crt` means something else.
 */
function isForeign(object: KubernetesObject): boolean {
  const keys = Object.keys(dataOf(object));
  return !isLabelled(object) && !keys.includes('ca.key') && keys.some((key) => key === 'tls.crt' || key === 'tls.key');
}
