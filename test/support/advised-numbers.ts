import { PROBE_KINDS } from '../../src/engine/probe/probe.ts';

const FIELD = /\b(\w+(?:Seconds|Threshold)): (\d+)\b/g;

/**
 * The numbers that a text tells to write, as `livenessProbe.failureThreshold: 3`.
 *
 * @param probe the probe that the text is about, where it names no other
 */
export function advisedNumbers(text: string, probe = ''): string[] {
  const { blocks, rest } = wholeProbes(text);
  // `write periodSeconds: 20 and failureThreshold: 13 in the startupProbe, and failureThreshold: 4`
  const parts = rest.split(/, and |; |\? Also: /).map((part) => [nameIn(part) ?? probe, part] as const);
  return [...blocks, ...parts].flatMap(([kind, part]) =>
    Array.from(part.matchAll(FIELD), ([, field, number]) => `${kind}.${field}: ${number}`),
  );
}

const nameIn = (part: string): string | undefined => PROBE_KINDS.find((kind) => part.includes(kind));

/** Takes `startupProbe: { ... }` out of a text, with all that is in the braces. */
function wholeProbes(text: string): { readonly blocks: readonly (readonly [string, string])[]; readonly rest: string } {
  const first = /(\w+Probe): \{/.exec(text);
  if (first === null) return { blocks: [], rest: text };
  let end = first.index + first[0].length;
  for (let depth = 1; depth > 0 && end < text.length; end += 1)
    depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
  const { blocks, rest } = wholeProbes(text.slice(0, first.index) + text.slice(end));
  return { blocks: [[first[1] ?? '', text.slice(first.index + first[0].length, end)], ...blocks], rest };
}
