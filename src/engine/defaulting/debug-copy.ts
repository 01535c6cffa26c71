import { quoted } from '../../base/json/quoted-value.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { hasProbe, type Pod } from '../workload/pod.ts';
import { probesNamedIn } from './patch.ts';
import type { NotInjected } from './not-injected.ts';

/** Injectors of meshes add these labels to every Pod, also to a copy without labels. */
export const MESH_LABEL = /(?:^|\.)(?:istio\.io|linkerd\.io|consul\.hashicorp\.com|kuma\.io)\//;

/**
 * Why a Pod is a copy that `kubectl debug --copy-to` made, and so gets no probes; undefined for other Pods. kubectl
 * removes the probes, the owner and, unless told otherwise, the labels (kubectl, pkg/cmd/debug). A Pod with an owner is
 * never a copy: its template may have the annotation from a live Pod, and must not lose probes for ever.
 */
export function debugCopyProblem(pod: Pod): NotInjected | undefined {
  if (pod.hasOwner) return undefined;
  if (pod.labelNames.every((label) => MESH_LABEL.test(label)))
    return problem('it has neither owner nor labels', 'to get probes, add a label');
  const lacking = probesNamedIn(pod).find(({ container, kind }) => !hasProbe(container, kind))?.container;
  if (lacking === undefined) return undefined;
  const sign = `its annotation ${INJECTED_ANNOTATION} names a probe that container ${quoted(lacking.name)} lacks`;
  return problem(sign, 'to get probes, remove the annotation');
}

function problem(sign: string, remedy: string): NotInjected {
  return { code: 'debug-copy', detail: `${sign}, so it counts as a copy of kubectl debug; ${remedy}` };
}
