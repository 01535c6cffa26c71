import { MERGE_PATCH } from '../client/api-client.ts';
import { isRecord } from '../client/kubernetes-object.ts';
import { objectPath, placeOf } from './policy-kind.ts';
import { isShown, shownStatus, statusPatch } from './policy-status.ts';
import type { ApiRequests } from '../client/api-client.ts';
import type { JudgedPolicy } from './policy-informer.ts';
import type { StatusTask } from './status-writer.ts';

/** Who wrote a field, as managedFields shows it. */
const FIELD_MANAGER = 'probewright-status';

/**
 * Writes into the status of a policy what became of the policy.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function policyStatusTask(client: ApiRequests, now: () => number, { seen, verdict }: JudgedPolicy): StatusTask {
  const { reference, resourceVersion, shown } = seen;
  return {
    place: placeOf(reference),
    resourceVersion,
    write: async (signal) => {
      const wanted = verdict();
      const body = statusPatch(shown, wanted, now());
      if (body === undefined) return undefined;
      const path = `${objectPath(reference)}/status`;
      const query = { fieldManager: FIELD_MANAGER };
      const object = await client.request({ method: 'PATCH', path, query, contentType: MERGE_PATCH, body, signal });
      const { status, metadata } = isRecord(object) ? object : {};
      const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
      return {
        isKept: isShown(shownStatus(status), wanted),
        resourceVersion: typeof version === 'string' ? version : undefined,
      };
    },
  };
}
