import { CHECKS } from './catalogue.ts';
import { ownProbe, PROBE_KINDS } from '../probes/probe.ts';
import { runToEnd } from '../steps.ts';
import { hasMeshProbe } from '../workload/mesh.ts';
import type { CheckFloor, CheckPolicy, EffectiveCheck } from '../policy/check-policy.ts';
import type { Steps } from '../steps.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { Violation } from './violation.ts';

/** A finding of a check, and the container that it is about. */
export interface PlacedFinding {
  readonly check: Check;
  readonly action: Violation['action'];
  readonly floor: CheckFloor | undefined;
  /** The floor's own parameters find it, whatever the layers above say. */
  readonly isFloored: boolean;
  readonly at: CheckedContainer;
  readonly finding: Finding;
}

/**
 * Every violation of a workload: check after check in the catalogue's order, container after container in the API server's order.
 *
 * @param policyFor what policies say about the checks of a container, by its name
 */
export function runChecks(workload: CheckedWorkload, policyFor: (container: string) => CheckPolicy): Violation[] {
  return runToEnd(runChecksInSteps(workload, policyFor));
}

/** The same in steps, for a workload with thousands of containers. */
export function* runChecksInSteps(
  workload: CheckedWorkload,
  policyFor: (container: string) => CheckPolicy,
): Steps<Violation[]> {
  const found = yield* findingsInSteps(workload, policyFor);
  return found.map(({ check, action, isFloored, at, finding }) => ({
    check: check.id,
    action,
    container: at.name,
    ...(isFloored && { isFloored }),
    ...finding,
  }));
}

/** Runs of a check on a container between two steps: a run takes a microsecond, as a rule. */
const RUNS_A_STEP = 64;

/** Every finding, in the order of runChecks. */
export function* findingsInSteps(
  workload: CheckedWorkload,
  policyFor: (container: string) => CheckPolicy,
): Steps<PlacedFinding[]> {
  const policies: CheckPolicy[] = [];
  let runs = 0;
  for (const { name } of workload.containers) {
    policies.push(policyFor(name));
    if (++runs % RUNS_A_STEP === 0) yield;
  }
  const found: PlacedFinding[] = [];
  const { containers } = workload;
  for (const check of CHECKS) {
    for (let index = 0; index < containers.length; index++) {
      const at = containers[index];
      const policy = policies[index]?.get(check.id);
      if (at === undefined || policy === undefined || policy.action === 'Off') continue;
      if (++runs % RUNS_A_STEP === 0) yield;
      addFindings(found, check, workload, at, policy);
    }
  }
  return found;
}

/**
 * Adds what a check finds in a container. One with a floor runs by the floor's parameters too, and what either run finds counts: the layers above may
 * make the check stricter, never weaker.
 */
function addFindings(
  found: PlacedFinding[],
  check: Check,
  workload: CheckedWorkload,
  container: CheckedContainer,
  { action, parameters, floor }: EffectiveCheck,
): void {
  if (action === 'Off') return;
  const at = asChecked(check, container, floor);
  if (at === undefined) return;
  const findings = check.run(workload, at, parameters);
  if (floor === undefined || floor.parameters === parameters) {
    // Nearly always nothing.
    for (const finding of findings) found.push({ check, action, floor, isFloored: floor !== undefined, at, finding });
    return;
  }
  const add = (finding: Finding, isFloored: boolean): void => {
    found.push({ check, action, floor, isFloored, at, finding });
  };
  const bound = check.run(workload, at, floor.parameters);
  for (const finding of bound) add(finding, true);
  const known = new Set(bound.map(textOf));
  for (const finding of findings) if (!known.has(textOf(finding))) add(finding, false);
}

function textOf({ path, message }: Finding): string {
  return `${path}: ${message}`;
}

/**
 * The container as a check sees it; undefined when the check does not look at it. Plain init, ephemeral and mesh containers have no probes of the
 * user's; valid-probe alone says so where they try. Names and annotations that mark a mesh's container can be forged. So a check with a floor looks at
 * the probes of a mesh's container too, except at those that are exactly what the mesh writes. A container without such a probe is no proxy.
 */
function asChecked(
  check: Check,
  container: CheckedContainer,
  floor: CheckFloor | undefined,
): CheckedContainer | undefined {
  const { role, name, spec } = container;
  if (check.everyContainer === true || role === 'application' || role === 'sidecar') return container;
  if (role !== 'mesh' || floor === undefined || floor.action === 'Off') return undefined;
  const isProxy = hasMeshProbe(
    name,
    PROBE_KINDS.map((kind) => ownProbe(spec, kind)),
  );
  return isProxy ? container : { ...container, role: 'application' };
}
