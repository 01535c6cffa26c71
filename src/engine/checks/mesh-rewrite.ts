import { EXCLUDED, INCLUDED, INJECT, leavesProbesPlain, REWRITE_ANNOTATION } from '../workload/mesh.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, listed } from './check.ts';
import type { Pod } from '../workload/pod.ts';

/**
 * Without the redirection, the proxy refuses plain requests under strict mTLS, and accepts every TCP connection (Istio,
 * "Health Checking of Istio Services"). The mode is in another object. No edits: the author wrote the annotation.
 */
export const meshRewrite = defineCheck({
  id: 'mesh-rewrite',
  summary: 'Istio does not redirect the probes, so they fail under strict mTLS.',
  action: 'Audit',
  run: (container, _, { pod }) => {
    if (!leavesProbesPlain(pod) || !mayGetProxy(pod)) return undefined;
    const asking = container.probes.filter((probe) => {
      const port = askedPort(probe)?.number;
      return port !== undefined && passesProxy(pod, String(port));
    });
    const requests = asking.filter(({ handler }) => handler.kind !== 'tcpSocket');
    const kinds = (requests.length > 0 ? requests : asking).map(({ kind }) => kind);
    if (kinds.length === 0) return undefined;
    const harm = requests.length > 0 ? 'the proxy refuses under strict mTLS' : 'the proxy answers for the application';
    return {
      path: [...pod.path, 'metadata', 'annotations', REWRITE_ANNOTATION],
      message: `${containerPhrase(container)}: Istio does not redirect its ${listed(kinds)}, which ${harm}`,
      remedy: 'remove the annotation, or use exec probes',
    };
  },
});

/** Pods of the host's network and of the ambient mode get no proxy (istio, pkg/kube/inject/inject.go). */
function mayGetProxy({ labels, annotations, hostNetwork }: Pod): boolean {
  const inject = labels.get(INJECT) ?? annotations.get(INJECT);
  return inject !== 'false' && !hostNetwork && labels.get('istio.io/dataplane-mode') !== 'ambient';
}

/** False for a port that the kubelet reaches past the proxy. */
function passesProxy({ annotations }: Pod, port: string): boolean {
  const lists = (name: string): boolean =>
    annotations
      .get(name)
      ?.split(',')
      .some((each) => [port, '*'].includes(each.trim())) === true;
  return !lists(EXCLUDED) && (annotations.get(INCLUDED) === undefined || lists(INCLUDED));
}
