import { isDeepStrictEqual } from 'node:util';
import { cut } from '../../base/text/cut.ts';
import { formatInstant } from '../../base/text/duration.ts';
import { visible } from '../../base/text/visible.ts';
import { APPLY_PATCH } from '../../cluster/client/api-client.ts';
import { objectPath, POLICY_COLLECTIONS } from '../../cluster/client/api-path.ts';
import { ObjectStatuses, updatedCondition, type Condition } from '../../cluster/sources/object-statuses.ts';
import { MAX_MESSAGE_LENGTH } from '../../cluster/sources/policy-status.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { constructsOf, needsMore } from '../../native/constructs.ts';
import type { PolicyRecord } from '../../cluster/sources/policy-informer.ts';
import type { PolicyKind, ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { ObserverContext } from '../observer-part.ts';

const NATIVE = 'Native';
/** Its own manager: an apply owns this condition alone, and `Ready` stays that of the webhook. */
const FIELD_MANAGER = 'probewright-observer-native';

/** Whether a param of the native policy holds what policies say. */
export type Room = 'open' | 'closed';

/**
 * While the native policy is installed, gives each policy of the cluster the condition `Native`: whether the native
 * policy injects what the webhook would. The informer's records tell what the objects show, so a new leader writes
 * nothing that is there, and a condition that somebody else removes comes back.
 */
export class PolicyConditions {
  readonly #context: Pick<ObserverContext, 'client' | 'now'>;
  readonly #policies: () => readonly PolicyRecord[];
  readonly #statuses: ObjectStatuses;
  /** Policies change seldom, and passes are frequent. */
  readonly #conditions = new WeakMap<ProbePolicy, Condition>();
  /** The resourceVersions before the last writes: the watch has not yet told what these objects show now. */
  readonly #written = new Map<string, string | undefined>();
  #records: ReadonlyMap<string, PolicyRecord> = new Map();
  #isInstalled = false;
  #roomFor: (namespace: string) => Room | undefined = () => 'open';
  /** Why no condition can be written now. */
  problem: string | undefined;

  constructor(
    context: Pick<ObserverContext, 'client' | 'log' | 'now' | 'random'>,
    policies: () => readonly PolicyRecord[],
  ) {
    const { log, random } = context;
    this.#context = context;
    this.#policies = policies;
    const troubled = (problem: string | undefined): void => {
      this.problem = problem;
      if (problem === undefined) log.info('the condition Native of policies can be written again');
      else log.warn({ problem }, 'the condition Native of policies cannot be written now');
    };
    const setAside = (policy: string, reason: string, problem: string): void => {
      // The next pass forgets a policy that is gone.
      if (reason !== 'gone') log.warn({ policy, reason, problem }, 'the condition Native of a policy is not written');
    };
    this.#statuses = new ObjectStatuses({ troubled, setAside }, { random });
  }

  lead(isLeader: boolean): void {
    this.#statuses.setActive(isLeader);
    this.#written.clear();
  }

  /**
   * Puts the policies whose objects show something else. Only the leader calls it.
   *
   * @param roomFor whether the param of a namespace, or of the cluster for an empty name, holds what its policies say.
   *   Undefined while nobody knows: then conditions stay as they are
   */
  pass(isInstalled: boolean, roomFor: (namespace: string) => Room | undefined): void {
    this.#isInstalled = isInstalled;
    this.#roomFor = roomFor;
    this.#records = new Map(this.#policies().map((record) => [record.place, record]));
    for (const key of this.#written.keys()) if (!this.#records.has(key)) this.#written.delete(key);
    for (const [key, record] of this.#records) {
      const { resourceVersion } = record;
      if (this.#wanted(record) === undefined) this.#statuses.drop(key);
      else this.#statuses.put({ key, resourceVersion, write: (signal) => this.#write(key, signal) });
    }
  }

  /** The conditions to apply. Undefined when the object shows them already, or is about to. */
  #wanted({ place, resourceVersion, shown, inForce }: PolicyRecord): readonly object[] | undefined {
    if (this.#written.has(place) && this.#written.get(place) === resourceVersion) return undefined;
    const before = shown.conditions.filter(({ type }) => type === NATIVE);
    if (!this.#isInstalled || inForce === undefined) return before.length === 0 ? undefined : [];
    const [, ...names] = place.split('/');
    const room = this.#roomFor(names.length > 1 ? (names[0] ?? '') : '');
    if (room === undefined) return undefined;
    const condition = room === 'closed' ? CLOSED : this.#conditionOf(inForce.policy);
    const time = formatInstant(Math.floor(this.#context.now() / 1000) * 1000);
    const wanted = [updatedCondition(before, condition, inForce.generation, time)];
    return isDeepStrictEqual(before, wanted) ? undefined : wanted;
  }

  async #write(place: string, signal: AbortSignal): Promise<void> {
    const record = this.#records.get(place);
    const conditions = record && this.#wanted(record);
    if (conditions === undefined) return;
    const [kind, ...names] = place.split('/') as [PolicyKind, ...string[]];
    const metadata = { name: names.at(-1) ?? '', ...(names.length > 1 && { namespace: names[0] }) };
    const path = `${objectPath(POLICY_COLLECTIONS[kind], metadata)}/status`;
    const query = { fieldManager: FIELD_MANAGER, force: 'true' };
    const body = { apiVersion: POLICY_API_VERSION, kind, metadata, status: { conditions } };
    await this.#context.client.request({ method: 'PATCH', path, query, contentType: APPLY_PATCH, body, signal });
    this.#written.set(place, record?.resourceVersion);
  }

  #conditionOf(policy: ProbePolicy): Condition {
    const known = this.#conditions.get(policy) ?? nativeCondition(policy);
    this.#conditions.set(policy, known);
    return known;
  }
}

const CLOSED: Condition = {
  ...{ type: NATIVE, status: 'False', reason: 'Closed' },
  message:
    'the native policy adds none of these probes: the policies have no room in NamespaceProbes, or cost too much',
};

/** Names each construct of the policy that the native policy follows less, with the fields that use it. */
function nativeCondition(policy: ProbePolicy): Condition {
  const fewer = constructsOf([policy]).filter(({ level, uses }) => level !== 'equal' && uses !== undefined);
  if (fewer.length === 0) {
    const message = 'the native policy injects what the webhook would';
    return { type: NATIVE, status: 'True', reason: 'Equal', message };
  }
  const fields = (uses: readonly string[] = []): string =>
    uses.map((use) => use.slice(`${policy.source}: `.length)).join(', ');
  const named = fewer.map(({ id, uses }) => `${id} (${fields(uses)})`).join('; ');
  const text = `the native policy injects less than the webhook would: ${named}`;
  const message = cut(visible(text), MAX_MESSAGE_LENGTH);
  return needsMore(fewer)
    ? { type: NATIVE, status: 'False', reason: 'NotExported', message }
    : { type: NATIVE, status: 'True', reason: 'Fewer', message };
}
