import { sideEffectOf } from '../command/changes.ts';
import { cut, quote } from '../../base/text/cut.ts';
import { CHECKS } from './catalogue.ts';
import { equalJson, without } from '../../base/json/json-value.ts';
import type { Check, Finding } from './check.ts';
import { formatPath, type FieldPlace } from '../../base/json/field-path.ts';
import { stricter } from '../policy/action.ts';
import { holdsCut } from '../workload/bounded-container.ts';
import type { CheckFloor, CheckPolicy, EffectiveCheck } from '../policy/check-policy.ts';
import type { Violation } from './violation.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import { hasMeshProbe, probeOf, type Container, type Probe } from '../workload/pod.ts';

/** A finding of a check, with the container that has the violation. */
export interface PlacedFinding {
  readonly check: Check;
  readonly action: Violation['action'];
  readonly floor: CheckFloor | undefined;
  /** True when the floor's own parameters cause the finding. Higher layers cannot remove such a finding. */
  readonly isFloored: boolean;
  readonly at: Container;
  readonly finding: Finding;
}

/** Runs a check on a container. */
export type RunCheck = (check: Check, ...on: Parameters<Check['run']>) => readonly Finding[];

/**
 * Returns every violation of a workload: by check in the catalogue's order, then by container in the API server's
 * order.
 * @param policyFor returns the policy for the checks of a container, by the container's name
 */
export function runChecks(
  workload: CheckedWorkload,
  policyFor: (container: string) => CheckPolicy,
  run?: RunCheck,
): Violation[] {
  const found = findingsOf(workload, policyFor, CHECKS, run);
  let byContainer: ReadonlyMap<FieldPlace, readonly PlacedFinding[]> | undefined;
  const grouped = (): NonNullable<typeof byContainer> => (byContainer ??= Map.groupBy(found, ({ at }) => at.place));
  return found.map((placed): Violation => {
    const { check, action, at, isFloored, finding } = placed;
    const { message, remedy, edits, reason } = finding;
    const otherRemedy = withoutEarlierCommand(placed) ?? withoutDoubtfulCopy(placed, grouped);
    // The original of a redirected probe is in a variable, where edits do not reach it.
    const isEditable = otherRemedy === undefined && !hasMeshProbe(at);
    const hasEdits = isEditable && edits?.some(({ value }) => holdsCut(value)) === false;
    const isLong = message.length > MOST_MESSAGE_CHARACTERS && remedy !== undefined && reason === undefined;
    return {
      check: check.id,
      action,
      container: at.name,
      ...(isFloored && { isFloored }),
      ...without(finding, 'level', 'copied', ...(hasEdits ? [] : (['edits'] as const))),
      ...(isLong && { message: cut(message, MOST_MESSAGE_CHARACTERS) }),
      ...(otherRemedy !== undefined && { remedy: otherRemedy }),
    };
  });
}

/** Longest problem, without its remedy. The API server's own words have no limit here. */
const MOST_MESSAGE_CHARACTERS = 200;

/** The remedy in place of a copy of a handler that another finding is about. */
function withoutDoubtfulCopy(
  { finding, at }: PlacedFinding,
  found: () => ReadonlyMap<FieldPlace, readonly PlacedFinding[]>,
): string | undefined {
  const { copied } = finding;
  if (copied === undefined) return undefined;
  const source = probeOf(at, copied.probe);
  const step = at.place.path().length + 1;
  const isDoubtful = found()
    .get(at.place)
    ?.some(({ check, finding: other }) => {
      // Edits correct the handler.
      const isAccepted = check.acceptsHandler === true && other.edits === undefined;
      if (other.probe !== copied.probe || isAccepted || other.isUnread) return false;
      const field = other.path[step];
      return field === undefined || field === source?.handler.kind;
    });
  return isDoubtful ? copied.otherwise : undefined;
}

const MOST_COMMAND_CHARACTERS = 60;

/**
 * The remedy in place of edits that would make a command with side effects run earlier or more often: in a new startup
 * probe, without its delay, or with a shorter period. A liveness script with `rm -rf` behind a delay of 600 s lost data
 * at second 0 (issue 30, D5).
 */
function withoutEarlierCommand({ finding, at }: PlacedFinding): string | undefined {
  for (const probe of at.probes) {
    const isCopied = finding.copied?.probe === probe.kind;
    const hastened = HASTENED.find((field) => lowers(finding, probe, field));
    if (!isCopied && hastened === undefined) continue;
    const effect = sideEffectOf(probe.command);
    if (effect === undefined) continue;
    const why = `the command of the ${probe.kind} may have side effects (${quote(effect, MOST_COMMAND_CHARACTERS)})`;
    return isCopied
      ? `write a startupProbe with a command that only asks, and keep the ${probe.kind} as it is: ${why}`
      : `keep ${hastened}: ${why}`;
  }
  return undefined;
}

/** With lower numbers in these fields, a command runs earlier or more often. */
const HASTENED = ['initialDelaySeconds', 'periodSeconds'] as const;

function lowers({ edits = [] }: Finding, { place, timing }: Probe, field: (typeof HASTENED)[number]): boolean {
  const before = timing?.[field] ?? 0;
  return edits.some(
    ({ path: edited, value }) =>
      edited.at(-1) === field &&
      !(typeof value === 'number' && value >= before) &&
      equalJson(edited, place.path(field)),
  );
}

/** Returns every finding, in the order of runChecks. */
export function findingsOf(
  workload: CheckedWorkload,
  policyFor: (container: string) => CheckPolicy,
  all = CHECKS,
  run?: RunCheck,
): PlacedFinding[] {
  const containers = workload.pod.containers.map((at) => ({ at, checks: policyFor(at.name) }));
  const found: PlacedFinding[] = [];
  for (const check of all)
    for (const { at, checks } of containers) {
      const policy = checks.get(check.id);
      if (policy !== undefined && policy.action !== 'Off') found.push(...findingsAt(check, policy, at, workload, run));
    }
  return found;
}

/** With a floor, the check runs with both parameters: higher layers make it stricter, never weaker. */
function findingsAt(
  check: Check,
  policy: EffectiveCheck,
  container: Container,
  workload: CheckedWorkload,
  run?: RunCheck,
): readonly PlacedFinding[] {
  const { parameters, floor } = policy;
  const at = asChecked(check, container, floor);
  if (at === undefined) return [];
  const findings = run?.(check, at, parameters, workload) ?? check.run(at, parameters, workload);
  if (findings.length === 0 && floor === undefined) return [];
  const placed = (finding: Finding, isFloored: boolean): readonly PlacedFinding[] => {
    const action = actionOf(finding, policy);
    return action === 'Off' ? [] : [{ check, action, floor, isFloored, at, finding }];
  };
  // Almost always nobody above the floor sets parameters.
  if (floor === undefined || floor.parameters === parameters)
    return findings.flatMap((finding) => placed(finding, floor !== undefined));
  const bound = run?.(check, at, floor.parameters, workload) ?? check.run(at, floor.parameters, workload);
  const known = new Set(bound.map(textOf));
  const others = known.size === 0 ? findings : findings.filter((finding) => !known.has(textOf(finding)));
  return [...bound.flatMap((finding) => placed(finding, true)), ...others.flatMap((finding) => placed(finding, false))];
}

/**
 * A finding's level replaces the default action; a policy's action and a floor count more. What is too long to be read
 * is a note, unless a floor counts: else padding would hide what a floor forbids.
 */
function actionOf({ level, isUnread }: Finding, { action, setBy, floor }: EffectiveCheck): Violation['action'] | 'Off' {
  if (isUnread === true)
    return floor === undefined ? 'Audit' : stricter<Violation['action']>('Audit', floor.action as Violation['action']);
  if (level === undefined || setBy !== undefined) return action;
  return floor === undefined || floor.action === 'Off' ? level : stricter<typeof level>(level, floor.action);
}

function textOf({ path, message }: Finding): string {
  return `${formatPath(path)}: ${message}`;
}

/**
 * The container as a check sees it; undefined when the check skips it. Only valid-probe reads plain init, ephemeral and
 * mesh containers. Anyone can forge what marks a mesh container, so a check with a floor reads it, too, and without a
 * probe that is exactly what the mesh writes it counts as an application container.
 */
function asChecked(check: Check, container: Container, floor: CheckFloor | undefined): Container | undefined {
  const { role } = container;
  if (check.everyContainer || role === 'application' || role === 'sidecar') return container;
  if (role !== 'mesh' || floor === undefined || floor.action === 'Off') return undefined;
  return hasMeshProbe(container) ? container : { ...container, role: 'application' };
}
