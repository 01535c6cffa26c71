import { quote } from '../../base/text/cut.ts';
import type { AdmissionRequest } from './decision.ts';
import { REVIEW_API_VERSION, REVIEW_KIND } from './response.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';

export type ReviewDecoding =
  { readonly request: AdmissionRequest; readonly problem?: undefined } | { readonly problem: string };

/** In characters. A namespace has 63 (a DNS label), and a uid 36. The server remembers the one, and sends the other. */
const MAX_NAME_LENGTH = 253;

/**
 * Rejects everything except a v1 AdmissionReview with a usable request.
 *
 * @param unread why the end of the body was not read. An API server writes the old object behind the object, so the
 *   object is whole when there is a part of the old one. Such a part must excuse nothing. A body of which not even the
 *   kind was read counts as the creation of a Pod, so that it is denied
 */
export function decodeReview(body: unknown, unread?: string): ReviewDecoding {
  const problem = problemOf(body);
  if (problem !== undefined && unread === undefined) return { problem };
  const request = (isJsonObject(body) && objectMember(body, 'request')) || {};
  const text = (from: JsonObject | undefined, field: string): string => (from && stringMember(from, field)) ?? '';
  const kind = objectMember(request, 'kind');
  const needsObject = problem !== undefined && !['DELETE', 'CONNECT'].includes(text(request, 'operation'));
  // The last member may be a part. A review without a whole object is unread.
  const members = Object.keys(request);
  const isWhole = members.includes('object') && members.at(-1) !== 'object';
  return {
    request: {
      uid: text(request, 'uid').slice(0, MAX_NAME_LENGTH),
      kind: { group: text(kind, 'group'), version: text(kind, 'version'), kind: text(kind, 'kind') || 'Pod' },
      subResource: text(request, 'subResource'),
      operation: text(request, 'operation') || 'CREATE',
      name: text(request, 'name'),
      namespace: text(request, 'namespace').slice(0, MAX_NAME_LENGTH),
      dryRun: member(request, 'dryRun') === true,
      userName: text(objectMember(request, 'userInfo'), 'username'),
      object: objectMember(request, 'object') ?? (needsObject ? {} : undefined),
      oldObject: unread === undefined ? objectMember(request, 'oldObject') : undefined,
      unread: isWhole ? undefined : unread,
    },
  };
}

function problemOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return `the body must be an ${REVIEW_KIND} object, not ${typeName(body)}`;
  if (body['kind'] !== REVIEW_KIND) return `kind must be ${REVIEW_KIND}, not ${shown(body['kind'])}`;
  if (body['apiVersion'] !== REVIEW_API_VERSION)
    return `apiVersion must be ${REVIEW_API_VERSION}, not ${shown(body['apiVersion'])}`;
  const request = member(body, 'request');
  if (!isJsonObject(request)) return `request must be an object, not ${typeName(request)}`;
  const [uid, kind, operation] = [member(request, 'uid'), member(request, 'kind'), member(request, 'operation')];
  if (typeof uid !== 'string' || uid === '') return `request.uid must be a string, not ${shown(uid)}`;
  if (!isJsonObject(kind)) return `request.kind must be an object, not ${typeName(kind)}`;
  const kindName = member(kind, 'kind');
  if (typeof kindName !== 'string') return `request.kind.kind must be a string, not ${shown(kindName)}`;
  if (typeof operation !== 'string') return `request.operation must be a string, not ${shown(operation)}`;
  for (const field of ['object', 'oldObject']) {
    const value = member(request, field) ?? null;
    if (value !== null && !isJsonObject(value))
      return `request.${field} must be an object or null, not ${typeName(value)}`;
  }
  for (const field of ['uid', 'namespace']) {
    const { length } = stringMember(request, field) ?? '';
    if (length > MAX_NAME_LENGTH)
      return `request.${field} must not be longer than ${MAX_NAME_LENGTH} characters, not ${length}`;
  }
  const needsObject = operation === 'CREATE' || operation === 'UPDATE';
  return needsObject && objectMember(request, 'object') === undefined
    ? `request.object must be an object when request.operation is ${operation}`
    : undefined;
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
