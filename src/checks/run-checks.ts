import { CHECKS } from './catalogue.ts';
import { runToEnd } from '../steps.ts';
import type { CheckFloor, CheckPolicy, EffectiveCheck } from '../policy/check-policy.ts';
import type { Steps } from '../steps.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { Violation } from './violation.ts';

/** A finding of a check, and the container that it is about. */
export interface PlacedFinding {
  readonly check: Check;
  readonly action: Violation['action'];
  readonly floor: CheckFloor | undefined;
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
  return found.map(({ check, action, at, finding }) => ({ check: check.id, action, container: at.name, ...finding }));
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
      const findings = findingsOf(check, workload, at, policy);
      if (findings.length === 0) continue;
      const { action, floor } = policy;
      for (const finding of findings) found.push({ check, action, floor, at, finding });
    }
  }
  return found;
}

/**
 * What a check finds in a container. One with a floor runs by the floor's parameters too, and what either run finds counts: the layers above may make
 * the check stricter, never weaker.
 */
function findingsOf(
  check: Check,
  workload: CheckedWorkload,
  container: CheckedContainer,
  { parameters, floor }: EffectiveCheck,
): readonly Finding[] {
  if (!looksAt(check, container, floor)) return NOTHING;
  const findings = check.run(workload, container, parameters);
  if (floor === undefined || floor.parameters === parameters) return findings;
  const bound = check.run(workload, container, floor.parameters);
  if (bound.length === 0) return findings;
  const known = new Set(bound.map(textOf));
  const more = findings.filter((finding) => !known.has(textOf(finding)));
  return more.length === 0 ? bound : [...bound, ...more];
}

const NOTHING: readonly Finding[] = [];

function textOf({ path, message }: Finding): string {
  return `${path}: ${message}`;
}

/**
 * Plain init, ephemeral and mesh containers have no probes of the user's; valid-probe alone says so where they try. Names and annotations that mark
 * a mesh's container can be forged, so a check with a floor looks at its probes too, but for those that are exactly what the mesh writes.
 */
function looksAt(check: Check, { role }: CheckedContainer, floor: CheckFloor | undefined): boolean {
  if (check.everyContainer === true || role === 'application' || role === 'sidecar') return true;
  return role === 'mesh' && floor !== undefined && floor.action !== 'Off';
}
