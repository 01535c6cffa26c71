import { jsonText } from '../../base/text/json-text.ts';
import type { Plan } from '../../engine/verdict/compare/plan.ts';
import type { PlanOutput } from './json-outputs.ts';

/** Returns a plan as one object for programs. Workloads without effect are left out. */
export function planAsJson(plan: Plan): string {
  return `${jsonText(planOutput(plan), undefined, 2)}\n`;
}

/** Returns a plan as programs read it. */
export function planOutput({ effects, summary }: Plan): PlanOutput {
  const workloads = effects.map(({ kind, namespace, name, probes, violations }) => ({
    kind,
    namespace,
    name,
    probes: probes.map(({ container, probe, change, before, after }) => ({ container, probe, change, before, after })),
    violations: violations.map(({ violation: { check, container, probe, message }, change, before, after }) => ({
      check,
      container,
      probe: probe ?? null,
      change,
      before,
      after,
      message,
    })),
  }));
  return { workloads, summary };
}
