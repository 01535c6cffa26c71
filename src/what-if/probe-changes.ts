import jsonPatch from 'fast-json-patch';
import { equalJson } from '../json/equal-json.ts';
import { isJsonObject, member, objectMember, stringMembers } from '../json/json-value.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { probePatch } from '../defaulting/patch.ts';
import { permittedProbes } from '../verdict/permitted-defaulting.ts';
import { containersOf } from '../workload/containers.ts';
import { mayHoldSeveralTemplates, templateName } from '../workload/kinds.ts';
import { workloadNameOf } from '../workload/workload-of-pod.ts';
import type { Operation } from 'fast-json-patch';
import type { Snapshot } from '../facts/snapshot.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { Container } from '../workload/containers.ts';
import type { PlacedTemplate } from '../workload/kinds.ts';
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

/** Compares the Pods of a workload under two snapshots, as `/mutate` would patch them. */
export function probeChanges(workload: Workload, before: Snapshot, after: Snapshot): readonly ProbeChange[] {
  return workload.templates.flatMap((placed) => changesOfTemplate(workload, placed, before, after));
}

function changesOfTemplate(
  workload: Workload,
  { template, path }: PlacedTemplate,
  before: Snapshot,
  after: Snapshot,
): ProbeChange[] {
  const [old, now] = [patchFor(workload, template, before), patchFor(workload, template, after)];
  // Most templates get the same patch from both snapshots, and need no copies.
  if (equalJson(old, now)) return [];
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
  const itself = workloadNameOf(object, kind, false);
  return probePatch(
    template,
    permittedProbes(template, policies.policyFor(namespace, labels, itself), kind).injections,
  );
}

/** The containers after the patch, applied by the rules of RFC 6902 as the API server applies it. */
function patchedContainers(template: JsonObject, patch: readonly Operation[]): readonly Container[] {
  const { newDocument } = jsonPatch.applyPatch<unknown>(template, patch, false, false);
  return containersOf(isJsonObject(newDocument) ? (objectMember(newDocument, 'spec') ?? {}) : {});
}

function probeOf(container: JsonObject, probe: ProbeKind): unknown {
  return member(container, probe) ?? null;
}
