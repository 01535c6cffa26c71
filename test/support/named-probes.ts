import { PROBE_KINDS, type ProbeKind } from '../../src/engine/probe/probe.ts';

/** A probe as texts name it: `livenessProbe`, `liveness probe`, `startup and liveness probe`. */
const nameOf = (kind: ProbeKind): RegExp => {
  const word = kind.slice(0, -'Probe'.length);
  return new RegExp(`\\b${word}(?:Probe\\b| probes?\\b| and (?:liveness|readiness) probes?\\b)`);
};

/** A probe that is to be written, or is said to be absent, may be named, and then again. */
const BEFORE = /\b(?:write|add|with|no|without|needs)(?: an?| the)? (?:other |startup and )?$/i;
/** The probe to write, in full. */
const AFTER = /^: \{/;

/** The probes that a text speaks of as if the container had them. */
export function absentProbesIn(text: string, present: ReadonlySet<string>): ProbeKind[] {
  return PROBE_KINDS.filter((kind) => {
    const first = nameOf(kind).exec(text);
    if (first === null || present.has(kind)) return false;
    const [before, after] = [text.slice(0, first.index), text.slice(first.index + first[0].length)];
    return !BEFORE.test(before) && !AFTER.test(after);
  });
}
