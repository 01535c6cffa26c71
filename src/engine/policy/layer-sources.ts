import type { PolicyLayer } from './probe-policy.ts';

/** By the list of layers. An entry lives as long as the list. */
const KNOWN = new WeakMap<readonly PolicyLayer[], readonly string[]>();

/** The sources of layers without repetitions, lowest first. The same list of layers gives the same list of sources. */
export function sourcesOf(layers: readonly PolicyLayer[]): readonly string[] {
  let sources = KNOWN.get(layers);
  if (sources === undefined) KNOWN.set(layers, (sources = [...new Set(layers.map(({ source }) => source))]));
  return sources;
}
