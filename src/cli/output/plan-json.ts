import { jsonText } from '../../text/json-text.ts';
import type { Plan } from '../../what-if/plan.ts';

/** Returns a plan as one object for programs. Workloads without effect are left out. */
export function planAsJson({ effects, summary }: Plan): string {
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
  return `${jsonText({ workloads, summary }, undefined, 2)}\n`;
}
