import { listMember, objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { ownProbe, PROBE_KINDS } from '../probe/probe.ts';
import { containersOf } from '../workload/containers.ts';
import { readProvenance } from './patch.ts';
import type { NotInjected } from './injection.ts';

/** Injectors of meshes add these labels to every Pod, also to a copy without labels. */
const MESH_LABEL = /(?:^|\.)(?:istio\.io|linkerd\.io|consul\.hashicorp\.com|kuma\.io)\//;

/**
 * Why a Pod is a copy that `kubectl debug --copy-to` made, and so gets no probes; undefined for other Pods. kubectl
 * removes the probes, the owner and, unless told otherwise, the labels (kubectl, pkg/cmd/debug). A Pod with an owner is
 * never a copy: its template may have the annotation from a live Pod, and must not lose probes for ever.
 */
export function debugCopyProblem(pod: JsonObject): NotInjected | undefined {
  const metadata = objectMember(pod, 'metadata') ?? {};
  if (listMember(metadata, 'ownerReferences').length > 0) return undefined;
  const labels = Object.keys(objectMember(metadata, 'labels') ?? {});
  if (labels.every((label) => MESH_LABEL.test(label)))
    return problem('it has neither owner nor labels', 'to get probes, add a label');
  const named = readProvenance(stringMap(metadata, 'annotations').get(INJECTED_ANNOTATION));
  if (named.size === 0) return undefined;
  const lacking = containersOf(objectMember(pod, 'spec') ?? {}).find(({ name, spec }) =>
    PROBE_KINDS.some((kind) => named.get(name)?.has(kind) === true && ownProbe(spec, kind) === undefined),
  );
  if (lacking === undefined) return undefined;
  const sign = `its annotation ${INJECTED_ANNOTATION} names a probe that container ${quoted(lacking.name)} lacks`;
  return problem(sign, 'to get probes, remove the annotation');
}

function problem(sign: string, remedy: string): NotInjected {
  return { code: 'debug-copy', detail: `${sign}, so it counts as a copy of kubectl debug; ${remedy}` };
}
