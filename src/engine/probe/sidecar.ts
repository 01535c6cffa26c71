import { member } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/**
 * True for an init container that is a native sidecar: it runs for as long as the Pod and may have probes
 * (pkg/apis/core/validation/validation.go, validateInitContainers).
 */
export function isSidecar(initContainer: JsonObject): boolean {
  return member(initContainer, 'restartPolicy') === 'Always';
}
