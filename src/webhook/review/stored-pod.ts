import jsonPatch, { type Operation } from 'fast-json-patch';
import { utf8OfBase64 } from '../../base/text/utf8.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { isPod } from '../../engine/workload/kinds.ts';
import { runsForever } from '../../engine/workload/read-container.ts';
import { withProbePorts } from '../../engine/workload/read-pod.ts';
import { workloadOfPod } from '../../engine/workload/workload-of-pod.ts';
import { mutate } from './mutate.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Decision } from './decision.ts';
import type { AdmissionResponse } from './response.ts';

/** A Pod as the API server stores it after `/mutate`, and the decision. */
export interface StoredPod {
  readonly pod: JsonObject;
  readonly isPatched: boolean;
  readonly decision: Decision;
}

/**
 * Sends the Pod of a template to `/mutate`, without HTTP, and applies the patch of the reply. So a command shows what
 * the API server stores.
 *
 * @param now the instant of the review, in milliseconds since the epoch
 */
export function storedPod(workload: Workload, template: JsonObject, snapshot: Snapshot, now: number): StoredPod {
  const { kind, namespace } = workload;
  const object = isPod(kind) ? template : podOf(workload, template);
  const decision = mutate(
    {
      uid: '',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      subResource: '',
      operation: 'CREATE',
      name: '',
      namespace,
      dryRun: false,
      userName: '',
      object,
      oldObject: undefined,
    },
    snapshot,
    'On',
    now,
    undefined,
    // Anybody can write a Pod with a controller reference, so only the Pod of a template has a known workload.
    isPod(kind) ? undefined : workloadOfPod(object),
  );
  const { response } = decision.reply;
  return { pod: patchedObject(object, response), isPatched: response.patch !== undefined, decision };
}

/** The object after the patch of a reply, as the API server applies the patch. The argument is not changed. */
export function patchedObject(object: JsonObject, { patch }: Pick<AdmissionResponse, 'patch'>): JsonObject {
  if (patch === undefined) return object;
  return jsonPatch.applyPatch(object, JSON.parse(utf8OfBase64(patch)) as Operation[], true, false).newDocument;
}

/** The Pod as the controller of the workload creates it. */
function podOf({ object, kind, name }: Workload, template: JsonObject): JsonObject {
  const metadata = objectMember(template, 'metadata') ?? {};
  const written = objectMember(template, 'spec') ?? {};
  const spec = kind.defaultProbePort === undefined ? written : withProbePorts(written, kind.defaultProbePort);
  // The API server accepts no other restartPolicy in a Job, but a manifest may lack one.
  const mustEnd = kind.runsToCompletion && runsForever(spec);
  const owner = {
    apiVersion: stringMember(object, 'apiVersion') ?? kind.group,
    kind: kind.kind,
    name,
    controller: true,
  };
  const copied = ['labels', 'annotations'].flatMap((field) => {
    const value = member(metadata, field);
    return isJsonObject(value) ? [[field, value] as const] : [];
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...Object.fromEntries(copied), ownerReferences: [owner] },
    spec: mustEnd ? { ...spec, restartPolicy: 'OnFailure' } : spec,
  };
}
