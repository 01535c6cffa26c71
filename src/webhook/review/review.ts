import { quote } from '../../base/text/quote.ts';
import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The version of the protocol: every supported API server speaks admission.k8s.io/v1. */
export const REVIEW_API_VERSION = 'admission.k8s.io/v1';
export const REVIEW_KIND = 'AdmissionReview';

/**
 * The fields of an AdmissionRequest (k8s.io/api/admission/v1) that Probewright uses. These fields have the types below.
 * Probewright does not read other fields.
 */
export interface AdmissionRequest {
  readonly uid: string;
  /** The kind of the object. The kind decides where the Pod template is. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty for the object itself. Otherwise `status`, `scale`, `ephemeralcontainers`, ... */
  readonly subResource: string;
  /** CREATE, UPDATE, DELETE, CONNECT, or an operation that a later API server adds. */
  readonly operation: string;
  /** Empty if the API server has not generated the name yet. */
  readonly name: string;
  /** Empty for cluster-scoped objects. The object's own metadata.namespace is not reliable before Kubernetes 1.24. */
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly userName: string;
  /** Undefined on DELETE. */
  readonly object: JsonObject | undefined;
  /** Undefined on CREATE. */
  readonly oldObject: JsonObject | undefined;
  /** The number of characters of the JSON text of the request, or more. */
  readonly textLength: number;
}

/** The result of decoding: the request, or the problem with the body, for an HTTP 400. */
export type ReviewDecoding = { readonly request: AdmissionRequest } | { readonly problem: string };

/**
 * Decodes a request body that was parsed as JSON. Rejects everything except a v1 AdmissionReview with a usable request.
 *
 * @param textLength characters of the parsed body; without a number, the object may have any size
 */
export function decodeReview(body: unknown, textLength = Infinity): ReviewDecoding {
  if (!isJsonObject(body)) return { problem: `the body must be an ${REVIEW_KIND} object, not ${typeName(body)}` };
  const { apiVersion, kind } = body;
  if (kind !== REVIEW_KIND) return { problem: `kind must be ${REVIEW_KIND}, not ${shown(kind)}` };
  if (apiVersion !== REVIEW_API_VERSION)
    return { problem: `apiVersion must be ${REVIEW_API_VERSION}, not ${shown(apiVersion)}` };
  const request = member(body, 'request');
  if (!isJsonObject(request)) return { problem: `request must be an object, not ${typeName(request)}` };
  return decodeRequest(request, textLength);
}

/**
 * The server remembers the namespace with the policies in force there, so the length needs a limit. Kubernetes allows
 * 63 characters (a DNS label).
 */
const MAX_NAMESPACE_LENGTH = 253;

function decodeRequest(request: JsonObject, textLength: number): ReviewDecoding {
  const uid = stringMember(request, 'uid');
  if (uid === undefined || uid === '')
    return { problem: `request.uid must be a string, not ${shown(member(request, 'uid'))}` };
  const kind = objectMember(request, 'kind');
  if (kind === undefined)
    return { problem: `request.kind must be an object, not ${typeName(member(request, 'kind'))}` };
  const kindName = stringMember(kind, 'kind');
  if (kindName === undefined)
    return { problem: `request.kind.kind must be a string, not ${shown(member(kind, 'kind'))}` };
  const operation = stringMember(request, 'operation');
  if (operation === undefined)
    return { problem: `request.operation must be a string, not ${shown(member(request, 'operation'))}` };
  for (const field of ['object', 'oldObject'] as const) {
    const value = member(request, field);
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      return { problem: `request.${field} must be an object or null, not ${typeName(value)}` };
    }
  }
  const namespace = stringMember(request, 'namespace') ?? '';
  if (namespace.length > MAX_NAMESPACE_LENGTH)
    return {
      problem: `request.namespace must not be longer than ${MAX_NAMESPACE_LENGTH} characters, not ${namespace.length}`,
    };
  const object = objectMember(request, 'object');
  if (object === undefined && (operation === 'CREATE' || operation === 'UPDATE')) {
    return { problem: `request.object must be an object when request.operation is ${operation}` };
  }
  const userInfo = objectMember(request, 'userInfo');
  return {
    request: {
      uid,
      kind: { group: stringMember(kind, 'group') ?? '', version: stringMember(kind, 'version') ?? '', kind: kindName },
      subResource: stringMember(request, 'subResource') ?? '',
      operation,
      name: stringMember(request, 'name') ?? '',
      namespace,
      dryRun: member(request, 'dryRun') === true,
      userName: (userInfo && stringMember(userInfo, 'username')) ?? '',
      object,
      oldObject: objectMember(request, 'oldObject'),
      textLength,
    },
  };
}

function typeName(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** A scalar as the client sent the scalar, cut short. For any other value, its type. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeName(value);
}
