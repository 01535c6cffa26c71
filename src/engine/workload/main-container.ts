import { tcpPortsOf } from './ports.ts';
import type { Container } from './containers.ts';

/** kubectl's own way to say which container a Pod is about (kubectl logs, kubectl exec). */
export const DEFAULT_CONTAINER_ANNOTATION = 'kubectl.kubernetes.io/default-container';

export type MainContainer =
  | { readonly container: Container; readonly problem?: undefined }
  | (Unclear & { readonly problem: 'unknown-default-container'; readonly named: string })
  | (Unclear & { readonly problem: 'no-tcp-port' | 'several-with-ports' });

interface Unclear {
  readonly container?: undefined;
  readonly candidates: readonly string[];
}

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
    return container ? { container } : { problem: 'unknown-default-container', named, candidates: names(applications) };
  }
  const withPorts = applications.filter((container) => tcpPortsOf(container.spec).length > 0);
  const only = withPorts[0];
  if (only === undefined) return { problem: 'no-tcp-port', candidates: names(applications) };
  if (withPorts.length > 1) return { problem: 'several-with-ports', candidates: names(withPorts) };
  return { container: only };
}

const names = (containers: readonly Container[]): readonly string[] => containers.map(({ name }) => name);
