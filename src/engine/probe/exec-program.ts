import { isBlank } from './go-values.ts';

/**
 * True for the first word of an exec command that names no program. The API server accepts an empty word (and takes
 * null for one); the container runtime then errors on every probe, and the kubelet throws the result away
 * (pkg/kubelet/prober/prober.go).
 */
export function namesNoProgram(word: unknown): boolean {
  return word === null || (typeof word === 'string' && isBlank(word));
}
