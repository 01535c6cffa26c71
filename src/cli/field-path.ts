import type { PathStep } from '../policy/problems.ts';

/** The steps of a field path as checks write it: `spec.containers[0].livenessProbe`. */
export function parseFieldPath(path: string): PathStep[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
}
