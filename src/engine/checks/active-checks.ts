import { CHECKS } from './catalogue.ts';
import { HANDLER_KINDS } from '../probe/probe.ts';
import type { Action } from '../policy/action.ts';
import type { CheckPolicy, EffectiveCheck } from '../policy/check-policy.ts';
import type { HandlerKind } from '../probe/probe.ts';
import type { Check, CheckedContainer } from './check.ts';

/** A check that runs on a container, and what the policies say about the check. */
export interface ActiveCheck {
  readonly check: Check;
  readonly policy: EffectiveCheck;
  /** The action of the policy. */
  readonly action: Exclude<Action, 'Off'>;
  /** The check's place in the catalogue. */
  readonly order: number;
}

/**
 * Returns the checks that can find something in a container: their action is not Off, and the container has a probe
 * with a handler that the check is about. Most requests meet the same few policies, so the lists are remembered.
 */
export function activeChecks(policy: CheckPolicy, { probes }: CheckedContainer): readonly ActiveCheck[] {
  let handlers = 0;
  for (const { handlerKind } of probes) handlers |= HANDLER_BITS[handlerKind];
  let lists = REMEMBERED.get(policy);
  if (lists === undefined) REMEMBERED.set(policy, (lists = []));
  return (lists[handlers] ??= selected(policy, handlers));
}

/** By policy, then by the bits of the handlers. An entry lives as long as the policy. */
const REMEMBERED = new WeakMap<CheckPolicy, ActiveCheck[][]>();

const HANDLER_BITS = Object.fromEntries(HANDLER_KINDS.map((kind, index) => [kind, 1 << index])) as Record<
  HandlerKind,
  number
>;

function selected(policy: CheckPolicy, handlers: number): ActiveCheck[] {
  const active: ActiveCheck[] = [];
  for (const [order, check] of CHECKS.entries()) {
    const effective = policy.get(check.id);
    if (effective === undefined || effective.action === 'Off') continue;
    if (check.handlers === undefined || check.handlers.some((kind) => (handlers & HANDLER_BITS[kind]) !== 0))
      active.push({ check, policy: effective, action: effective.action, order });
  }
  return active;
}
