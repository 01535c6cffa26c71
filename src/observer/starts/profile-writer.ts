import { collectionPath, objectPath } from '../../cluster/client/api-path.ts';
import { textAt } from '../../base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { isDeepStrictEqual } from 'node:util';
import { readStartupProfile } from '../../engine/facts/read-startup-profile.ts';
import { profileName, STARTUP_PROFILE_KIND } from '../../engine/facts/startup-profile.ts';
import { figuresOf } from '../../engine/facts/read-startup-profile.ts';
import { hasCode, unlessMissing, type ApiClient } from '../../cluster/client/api-client.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { writeFailure } from '../../cluster/client/write-failure.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { profileStatus, shownFigures, updatedProfile } from './profile-update.ts';
import type { ContainerProfile, StartupProfile } from '../../engine/facts/read-startup-profile.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import { sinceOf, type PendingStarts, type PendingWorkload } from './pending-starts.ts';

/** The result of writing one profile. `unchanged`: the profile waits for a change that matters. */
export type WriteResult = 'written' | 'unchanged' | 'conflict' | 'gone' | 'failed';

/** Asks for the object of a workload, whose uid the profile's owner reference needs. */
export type FindWorkload = (namespace: string, workload: WorkloadReference) => Promise<JsonObject | undefined>;

const PROFILES = { apiVersion: POLICY_API_VERSION, resource: 'startupprofiles' };
export const WRITE_MILLISECONDS = 5 * 60_000;
/** Starts that change no figure are written after this time, so that the profile keeps the latest starts. */
const QUIET_MILLISECONDS = 60 * 60_000;
/** A change of the middle start times by less than a tenth does not matter. */
const RELEVANT_CHANGE = 0.1;
/** The clock of a node may be ahead of ours by so much. */
const CLOCK_MILLISECONDS = 10 * 60_000;

/** Writes StartupProfiles. The API server rejects a write if the profile has changed since it was read. */
export class ProfileWriter {
  readonly #client: Pick<ApiClient, 'request'>;
  readonly #pending: PendingStarts;
  readonly #findWorkload: FindWorkload;
  /** When each profile was written or looked at last, and the longest bound of a killed start by then. */
  readonly #written = new Map<string, { readonly at: number; readonly boundSeconds: number }>();

  constructor(client: Pick<ApiClient, 'request'>, pending: PendingStarts, findWorkload: FindWorkload) {
    this.#client = client;
    this.#pending = pending;
    this.#findWorkload = findWorkload;
  }

  /**
   * The workloads that may be written now, the oldest first. A kill that asks for a longer budget does not wait: each
   * Pod that is created meanwhile would be killed, too.
   */
  due(now: number): readonly PendingWorkload[] {
    // A clock that was set back does not prolong the pause.
    for (const [key, { at }] of this.#written) if (Math.abs(now - at) >= WRITE_MILLISECONDS) this.#written.delete(key);
    return this.#pending
      .workloads()
      .filter((pending) => longestBound(pending) > (this.#written.get(pending.key)?.boundSeconds ?? -1));
  }

  /** Writes the starts of one workload. Rejects when the API server is away, or refuses for another reason. */
  async write(pending: PendingWorkload, now: number, signal: AbortSignal): Promise<WriteResult> {
    const { key, namespace, workload, starts } = pending;
    const before = this.#written.get(key)?.boundSeconds ?? 0;
    this.#written.set(key, { at: now, boundSeconds: Math.max(before, longestBound(pending)) });
    const name = profileName(workload.kind, workload.name);
    const path = objectPath(PROFILES, { namespace, name });
    try {
      const found = await unlessMissing(this.#client.request({ method: 'GET', path, signal }));
      const existing = isJsonObject(found) ? found : undefined;
      const known = existing && readStartupProfile(existing);
      if (known !== undefined && !isSame(known.workload, workload)) return this.#done(pending, 'gone');
      const profile = updatedProfile(known, workload, starts, now + CLOCK_MILLISECONDS);
      // Another leader has written these starts.
      if (known !== undefined && isDeepStrictEqual(known, profile)) return this.#done(pending, 'unchanged');
      if (known !== undefined && Math.abs(now - sinceOf(pending)) < QUIET_MILLISECONDS && !isRelevant(known, profile))
        return 'unchanged';
      const object = existing ?? (await this.#create(name, namespace, workload, signal));
      if (object === undefined) return this.#done(pending, 'gone');
      const body = { ...object, status: profileStatus(profile) };
      await this.#client.request({ method: 'PUT', path: `${path}/status`, body, signal });
      return this.#done(pending, 'written');
    } catch (error) {
      // Another writer has changed or deleted the profile. The starts stay for the next round.
      if (hasCode(error, 409) || hasCode(error, 404)) {
        this.#written.delete(key);
        return 'conflict';
      }
      // The same write would be refused again.
      if (writeFailure(error) === 'refused' || writeFailure(error) === 'too-large') this.#pending.drop(pending);
      throw error;
    }
  }

  #done(pending: PendingWorkload, result: WriteResult): WriteResult {
    this.#pending.drop(pending);
    return result;
  }

  /** Creates a profile that its workload owns; undefined when there is no such workload any more. */
  async #create(
    name: string,
    namespace: string,
    workload: WorkloadReference,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const owner = await this.#findWorkload(namespace, workload);
    const uid = textAt(owner, 'metadata', 'uid');
    if (uid === undefined) return undefined;
    const { kind, name: ownerName } = workload;
    const apiVersion = textAt(owner, 'apiVersion') ?? workload.apiVersion;
    const body = {
      apiVersion: POLICY_API_VERSION,
      kind: STARTUP_PROFILE_KIND,
      metadata: {
        name,
        namespace,
        labels: { 'app.kubernetes.io/managed-by': 'probewright' },
        ownerReferences: [{ apiVersion, kind, name: ownerName, uid }],
      },
    };
    const created = await this.#client.request({
      method: 'POST',
      path: collectionPath(PROFILES, namespace),
      body,
      signal,
    });
    return isJsonObject(created) ? created : undefined;
  }
}

/** The largest time that a probe granted to one of the killed starts; 0 without one. */
function longestBound({ starts }: PendingWorkload): number {
  return Math.max(0, ...starts.map((start) => (start.sample === undefined ? start.boundSeconds : 0)));
}

function isSame(one: WorkloadReference, other: WorkloadReference): boolean {
  return (
    one.kind === other.kind &&
    one.name === other.name &&
    groupOfVersion(one.apiVersion) === groupOfVersion(other.apiVersion)
  );
}

/** True when a figure of a container changes that a budget or a reader depends on. */
function isRelevant(before: StartupProfile, after: StartupProfile): boolean {
  const known = new Map(before.containers.map((container) => [container.name, container]));
  return after.containers.some((container) => {
    const own = known.get(container.name);
    return own === undefined || hasChanged(own, container);
  });
}

function hasChanged(before: ContainerProfile, after: ContainerProfile): boolean {
  const [one, other] = [before, after].map((profile) => {
    const { starts, longestSeconds, boundSeconds } = figuresOf(profile);
    return [starts, longestSeconds, boundSeconds, profile.samples.length, profile.killed.count, profile.image];
  });
  if (!isDeepStrictEqual(one, other)) return true;
  const [shown, now] = [shownFigures(before), shownFigures(after)];
  return hasMoved(shown.p50Seconds, now.p50Seconds) || hasMoved(shown.p90Seconds, now.p90Seconds);
}

function hasMoved(before = 0, after = 0): boolean {
  return Math.abs(after - before) >= RELEVANT_CHANGE * Math.max(1, before);
}
