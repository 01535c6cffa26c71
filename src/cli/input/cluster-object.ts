import { isJsonObject, without, type JsonObject } from '../../base/json/json-value.ts';
import { POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { BUILT_IN_KINDS, groupOfVersion, workloadKind } from '../../engine/workload/kinds.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import { placeOfManifest, type Manifest, type PlacedDocument } from './manifest.ts';
import type { ParsedText } from './manifests.ts';
import type { FilePlace } from '../output/json-outputs.ts';
import type { World } from './world.ts';

/** The beginning of the places of objects of a cluster. The texts are URIs with this scheme. */
export const CLUSTER_PLACE = 'cluster';

/** A problem of the cluster as a whole. */
export function clusterProblem(message: string): FileProblem {
  return { file: CLUSTER_PLACE, line: 1, column: 1, message };
}

/** kubectl's copy of the whole object. Nothing reads the copy here. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The object as a document without text: each field has the object's place. */
export function clusterText(object: KubernetesObject, kind: ClusterKind): ParsedText {
  const value = withoutUnread(object, kind);
  const file = clusterPlace(object, kind);
  const start = { line: 1, column: 1 };
  const document: PlacedDocument = {
    file,
    index: 0,
    value,
    placeOf: () => ({ file, ...start }),
    position: () => start,
    end: () => start,
    lastLine: () => 1,
    plainScalar: () => undefined,
  };
  return { file, text: '', manifests: [{ object: value, document, path: [] }], problems: [] };
}

/** `cluster:shop/deployment/web`; the kinds of other groups have the group: `cluster:shop/rollout.argoproj.io/web`. */
export function clusterPlace(
  { metadata: { namespace, name } }: KubernetesObject,
  { apiVersion, kind }: Pick<ClusterKind, 'apiVersion' | 'kind'>,
): string {
  const group = groupOfVersion(apiVersion);
  const isOwn = group === POLICY_GROUP || workloadKind(group, kind, BUILT_IN_KINDS) !== undefined;
  const type = `${kind.toLowerCase()}${isOwn ? '' : `.${group}`}`;
  return `${CLUSTER_PLACE}:${[...(namespace === undefined ? [] : [namespace]), type, name].join('/')}`;
}

/** Lists of built-in kinds leave out `apiVersion` and `kind` of their items. */
function withoutUnread(object: KubernetesObject, { apiVersion, kind }: ClusterKind): JsonObject {
  const { metadata, ...rest } = without(object as unknown as JsonObject, 'status');
  const { annotations, ...kept } = without(metadata as JsonObject, 'managedFields');
  const others = isJsonObject(annotations) && { annotations: without(annotations, LAST_APPLIED) };
  return { ...rest, apiVersion, kind, metadata: { ...kept, ...others } };
}

/** Where the objects of a report are from. */
export type ObjectOrigin = Partial<Pick<World, 'isFromCluster'>>;

/**
 * True for an object of a cluster. Such an object has no lines. Policies in files, which have lines, may be beside a
 * cluster.
 */
export function isInCluster(file: string, { isFromCluster = false }: ObjectOrigin): boolean {
  return isFromCluster && (file === CLUSTER_PLACE || file.startsWith(`${CLUSTER_PLACE}:`));
}

/** A place for people: `apps/web.yaml:12`, or the object of a cluster. */
export function placeText({ file, line }: Pick<FilePlace, 'file' | 'line'>, origin: ObjectOrigin): string {
  return isInCluster(file, origin) || line === 0 ? file : `${file}:${line}`;
}

/** The place of an object for people: `apps/web.yaml:12:1`, or the object of a cluster. */
export function placeOfObject(manifest: Manifest, origin: ObjectOrigin): string {
  const { file } = manifest.document;
  return isInCluster(file, origin) ? file : placeOfManifest(manifest);
}
