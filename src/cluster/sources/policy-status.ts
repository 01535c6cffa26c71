import { objectsAt } from '../../base/json/field-path.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { isDeepStrictEqual } from 'node:util';
import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { MAX_SPEC_BYTES } from '../../engine/policy/bounds.ts';
import { POLICY_LIMITS, type Budget, type Use } from '../../engine/policy/budget.ts';
import { updatedCondition, type Condition } from './object-statuses.ts';
import type { PolicyAdvice } from '../../engine/verdict/policy-advice.ts';

export interface PolicyVerdict {
  readonly generation: number;
  /** Why this generation cannot be read, as `path: message`; empty when it can be read. */
  readonly problems: readonly string[];
  readonly problemCount?: number;
  /** Warnings about this generation, as `path: message`. Shown while this generation is in force. */
  readonly warnings?: readonly string[];
  readonly advice?: readonly PolicyAdvice[];
  readonly overBudget?: OverBudget | undefined;
  /** The generation in force: this one, or the last good one. */
  readonly good: number | undefined;
}

export interface OverBudget {
  readonly budget: Budget;
  readonly bytes?: number;
  /** The size of the policies in force of the same namespace. */
  readonly use: Use;
  /** The budget of all namespaces together. */
  readonly total: Use;
}

export interface ShownStatus {
  readonly observedGeneration: unknown;
  /** All conditions, unchanged. Conditions of other types belong to other writers, and are kept. */
  readonly conditions: readonly Readonly<Record<string, unknown>>[];
  readonly advice: unknown;
}

const READY = 'Ready';
/** The most characters of a condition's message, because conditions are read in tables and terminals. */
export const MAX_MESSAGE_LENGTH = 1024;

/** Reads the `status` of a policy's object. Fields that have another form than Probewright writes count as absent. */
export function shownStatus(status: unknown): ShownStatus {
  const shown = isJsonObject(status) ? status : {};
  return {
    observedGeneration: shown['observedGeneration'],
    // A copy has no room to grow. Thousands of policies have one condition each.
    conditions: [...objectsAt(shown, 'conditions')],
    advice: shownAdvice(shown),
  };
}

/** Undefined when the status shows the verdict already. A late patch names its own generation. */
export function statusPatch(shown: ShownStatus, verdict: PolicyVerdict, now: number): object | undefined {
  const advice = adviceFields(verdict.advice);
  const wanted = {
    observedGeneration: verdict.generation,
    conditions: withReady(shown.conditions, verdict, now),
    advice,
  };
  if (isDeepStrictEqual(withoutFigures(shown), withoutFigures(wanted))) return undefined;
  const noAdvice = shown.advice === undefined ? {} : { adviceCount: null, advice: null };
  return { status: { ...wanted, ...(advice ?? noAdvice) } };
}

/** Figures of a budget change with every policy of the namespace. A message is not written again for figures alone. */
function withoutFigures(status: ShownStatus): ShownStatus {
  const conditions = status.conditions.map((condition) => {
    const { type, reason, message } = condition;
    if (type !== READY || reason !== 'OverBudget' || typeof message !== 'string') return condition;
    return { ...condition, message: message.replaceAll(/\d+/g, '#') };
  });
  return { ...status, conditions };
}

/** The other conditions keep their order. */
function withReady(
  conditions: ShownStatus['conditions'],
  verdict: PolicyVerdict,
  now: number,
): ShownStatus['conditions'] {
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = updatedCondition(conditions, { type: READY, ...readyCondition(verdict) }, verdict.generation, time);
  // The CRDs allow one condition of a type.
  const place = conditions.findIndex(({ type }) => type === READY);
  return place < 0 ? [...conditions, ready] : conditions.with(place, ready);
}

function readyCondition(verdict: PolicyVerdict): Omit<Condition, 'type'> {
  const { problems, problemCount, warnings = [], overBudget, good } = verdict;
  const consequence = good === undefined ? 'no version is in force' : `generation ${good} stays in force`;
  if (problems.length > 0)
    return { status: 'False', reason: 'Invalid', message: bounded(consequence, problems, problemCount) };
  if (overBudget !== undefined)
    return { status: 'False', reason: 'OverBudget', message: `${consequence}: ${overBudgetText(overBudget)}` };
  if (warnings.length === 0) return { status: 'True', reason: 'Accepted', message: 'in force' };
  const message = bounded(warnings.length === 1 ? 'in force, with a warning' : 'in force, with warnings', warnings);
  return { status: 'True', reason: 'AcceptedWithWarnings', message };
}

function overBudgetText({ budget, bytes = 0, use, total }: OverBudget): string {
  const { objects: mostPolicies, bytes: mostBytes } = POLICY_LIMITS;
  const texts: Readonly<Record<Budget, readonly string[]>> = {
    object: [
      `the spec has ${bytes} bytes as JSON, and a policy may have ${MAX_SPEC_BYTES}.`,
      'Split the policy, or remove what it does not need',
    ],
    objects: [
      `a namespace may have ${mostPolicies} policies in force, and this one has ${use.objects}.`,
      'Older policies go first. Delete policies that are not needed',
    ],
    bytes: [
      `a namespace may have ${mostBytes} bytes of policies in force, and this one has ${use.bytes}.`,
      'Older policies go first. Delete or shorten policies of this namespace',
    ],
    total: [
      `all namespaces together may have ${total.objects} policies with ${total.bytes} bytes in force (--policy-budget).`,
      'Older policies go first. Delete policies that are not needed, or ask for a larger budget',
    ],
  };
  return texts[budget].join(' ');
}

/** The consequence, then as many problems as have room, and at least the beginning of the first. */
function bounded(consequence: string, problems: readonly string[], count = problems.length): string {
  let message = `${consequence}: `;
  for (const [index, text] of problems.entries()) {
    const problem = visible(text);
    const rest = count - index - 1;
    const more = rest === 0 ? '' : `; and ${rest} more`;
    const room = MAX_MESSAGE_LENGTH - message.length - more.length - 2;
    if (problem.length > room) {
      if (index > 0) return `${message}; and ${rest + 1} more`;
      return `${message}${cut(problem, room)}${more}`;
    }
    message += index === 0 ? problem : `; ${problem}`;
  }
  const left = count - problems.length;
  return left === 0 ? message : `${message}; and ${left} more`;
}

/** The bounds of `status.advice`. The CRDs have the same bounds. */
export const ADVICE_BOUNDS = { entries: 20, check: 63, field: 253, message: 1024 } as const;

/** The fields that show this advice; undefined for no advice. `adviceCount` also counts what is not listed. */
function adviceFields(
  advice: readonly PolicyAdvice[] = [],
): { readonly adviceCount: number; readonly advice: readonly PolicyAdvice[] } | undefined {
  if (advice.length === 0) return undefined;
  const listed = advice.slice(0, ADVICE_BOUNDS.entries).map(({ check, field, message }) => ({
    check: cut(visible(check), ADVICE_BOUNDS.check),
    field: cut(visible(field), ADVICE_BOUNDS.field),
    message: cut(visible(message), ADVICE_BOUNDS.message),
  }));
  return { adviceCount: advice.length, advice: listed };
}

function shownAdvice({ adviceCount, advice }: Readonly<Record<string, unknown>>): unknown {
  const entries: readonly unknown[] = Array.isArray(advice) ? advice : [];
  return entries.length === 0 && (adviceCount ?? 0) === 0 ? undefined : { adviceCount, advice: entries };
}
