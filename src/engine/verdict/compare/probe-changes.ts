import jsonPatch from 'fast-json-patch';
import { equalJson } from '../../../base/json/equal-json.ts';
import { isJsonObject, member, objectMember, stringMembers } from '../../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../probe/api-defaults.ts';
import { PROBE_KINDS } from '../../probe/probe.ts';
import { probePatch } from '../../defaulting/patch.ts';
import { permittedDefaulting } from '../permitted-defaulting.ts';
import { containersOf } from '../../workload/containers.ts';
import { mayHoldSeveralTemplates, templateName } from '../../workload/kinds.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';
import type { Operation } from 'fast-json-patch';
import type { Snapshot } from '../../facts/snapshot.ts';
import type { JsonObject } from '../../../base/json/json-value.ts';
import type { ProbeKind } from '../../probe/probe.ts';
import type { Container } from '../../workload/containers.ts';
import type { PlacedTemplate } from '../../workload/kinds.ts';
import type { Workload } from './workload.ts';

/** A probe that the Pods of a workload get, lose or get differently. */
export interface ProbeChange {
  readonly container: string;
  /** The list and the index of the container, because names may repeat. */
  readonly list: Container['list'];
  readonly index: number;
  /** The name of the Pod template. Absent for kinds with one template. */
  readonly template?: string;
  readonly probe: ProbeKind;
  readonly change: 'added' | 'removed' | 'changed';
  /** The whole probe. Null = the container has no such probe. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Compares the Pods of a workload under two snapshots, as `/mutate` would patch them. A large template takes long. */
export function probeChanges(workload: Workload, before: Snapshot, after: Snapshot): readonly ProbeChange[] {
  const changes: ProbeChange[] = [];
  for (const placed of workload.templates) {
    const old = patchFor(workload, placed.template, before);
    const now = patchFor(workload, placed.template, after);
    // Most templates get the same patch from both snapshots, and need no copies.
    if (equalJson(old, now)) continue;
    for (const change of changesOfTemplate(workload, placed, old, now)) changes.push(change);
  }
  return changes;
}

function changesOfTemplate(
  workload: Workload,
  { template, path }: PlacedTemplate,
  old: readonly Operation[],
  now: readonly Operation[],
): ProbeChange[] {
  const [oldContainers, newContainers] = [patchedContainers(template, old), patchedContainers(template, now)];
  const which = mayHoldSeveralTemplates(workload.kind) ? { template: templateName(workload.object, path) } : {};
  return oldContainers.flatMap(({ name, list, index, spec }, position) =>
    PROBE_KINDS.flatMap((probe): ProbeChange[] => {
      const was = probeOf(spec, probe);
      const is = probeOf(newContainers[position]?.spec ?? {}, probe);
      if (equalJson(was, is)) return [];
      const change = was === null ? 'added' : is === null ? 'removed' : 'changed';
      return [{ container: name, list, index, ...which, probe, change, before: was, after: is }];
    }),
  );
}

function patchFor(
  { object, kind, namespace }: Workload,
  template: JsonObject,
  policies: Snapshot,
): readonly Operation[] {
  const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
  const policy = policies.policyFor(namespace, labels, workloadNameOf(object, kind, false));
  const { injections } = permittedDefaulting(template, policy, kind);
  return probePatch(template, injections);
}

/** The containers after the patch, applied by the rules of RFC 6902 as the API server applies it. */
function patchedContainers(template: JsonObject, patch: readonly Operation[]): readonly Container[] {
  const { newDocument } = jsonPatch.applyPatch<unknown>(probesOf(template), patch, false, false);
  return containersOf(isJsonObject(newDocument) ? (objectMember(newDocument, 'spec') ?? {}) : {});
}

/**
 * The template with the names and probes of its containers only, and with places for annotations. Applying a patch
 * copies the whole document.
 */
function probesOf(template: JsonObject): JsonObject {
  const spec = objectMember(template, 'spec') ?? {};
  const lists: Record<string, unknown> = {};
  for (const list of CONTAINER_LISTS) {
    const entries = member(spec, list);
    if (Array.isArray(entries)) lists[list] = (entries as unknown[]).map(withProbesOnly);
  }
  const metadata = objectMember(template, 'metadata');
  const annotations = metadata && objectMember(metadata, 'annotations');
  return { ...(metadata && { metadata: annotations === undefined ? {} : { annotations: {} } }), spec: lists };
}

function withProbesOnly(entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const kept: Record<string, unknown> = {};
  for (const name of ['name', ...PROBE_KINDS]) {
    const value = member(entry, name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

function probeOf(container: JsonObject, probe: ProbeKind): unknown {
  return member(container, probe) ?? null;
}
