import { isTcp } from './ports.ts';
import type { Container, MainContainer } from './pod.ts';

/** kubectl's own way to say which container a Pod is about (kubectl logs, kubectl exec). */
export const DEFAULT_CONTAINER_ANNOTATION = 'kubectl.kubernetes.io/default-container';

/**
 * The main container: the one that the default-container annotation names, else the only application container with a
 * TCP port. An annotation without a match is an error: a guess could put a probe where it cannot work.
 */
export function mainContainerOf(
  containers: readonly Container[],
  annotations: { readonly get: (name: string) => string | undefined },
): MainContainer {
  const applications = containers.filter((container) => container.role === 'application');
  const named = annotations.get(DEFAULT_CONTAINER_ANNOTATION);
  if (named !== undefined && named !== '') {
    const container = applications.find((candidate) => candidate.name === named);
    if (container !== undefined) return { kind: 'found', container };
    return { kind: 'unknown-default-container', named, candidates: names(applications) };
  }
  const withPorts = applications.filter((container) => container.readablePorts.some(isTcp));
  const [container, ...others] = withPorts;
  if (container === undefined) return { kind: 'no-tcp-port', candidates: names(applications) };
  if (others.length > 0) return { kind: 'several-with-ports', candidates: names(withPorts) };
  return { kind: 'found', container };
}

const names = (containers: readonly Container[]): readonly string[] => containers.map(({ name }) => name);
