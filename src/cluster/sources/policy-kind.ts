import { cut } from '../../base/text/cut.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { MAX_SPEC_BYTES } from '../../engine/policy/bounds.ts';
import { memoryOfPolicy, NO_LIMITS, POLICY_LIMITS, PROBLEMS_MEMORY, type Size } from '../../engine/policy/budget.ts';
import { formatProblem } from '../../engine/policy/reader.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { parseProbePolicy, type PolicyKind, type ProbePolicy } from '../../engine/policy/probe-policy.ts';
import { shownStatus, type ShownStatus } from './policy-status.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { InformedKind } from './informer.ts';
import type { Named } from './object-store.ts';

export interface PolicyReference {
  readonly kind: PolicyKind;
  /** Undefined for a ClusterProbePolicy. */
  readonly namespace: string | undefined;
  readonly name: string;
}

const PLURALS: Readonly<Record<PolicyKind, string>> = {
  ProbePolicy: 'probepolicies',
  ClusterProbePolicy: 'clusterprobepolicies',
};

/** As a policy's `source` is written: `ProbePolicy/apps/web`. */
export function placeOf({ kind, namespace, name }: PolicyReference): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** Where the API server has one policy. */
export function objectPath({ kind, namespace, name }: PolicyReference): string {
  const within = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
  return `/apis/${POLICY_API_VERSION}/${within}${PLURALS[kind]}/${encodeURIComponent(name)}`;
}

/** What the writer of statuses needs to know of an object. */
export interface ObservedObject {
  readonly reference: PolicyReference;
  readonly generation: number | undefined;
  readonly resourceVersion: string | undefined;
  readonly shown: ShownStatus;
}

export interface PolicyVersion extends Size {
  readonly generation: number;
  readonly policy: ProbePolicy;
  readonly warnings: readonly string[];
}

export interface KeptProblems {
  readonly shown: readonly string[];
  readonly count: number;
}

/** The record of a policy. The object itself is dropped, because most of it is metadata that is not needed. */
export interface PolicyRecord extends Named {
  readonly seen: ObservedObject;
  readonly uid: string | undefined;
  readonly created: number;
  /** The newest version, or the last one that could be read. */
  readonly inForce: PolicyVersion | undefined;
  readonly problems: KeptProblems;
  /** The bytes of a spec that is too large to be read. */
  readonly tooLarge: number | undefined;
  /** Whether problems and warnings of this version were logged. */
  isLogged: boolean;
}

/** True when the newest version is in force. */
export function isCurrent({ problems, tooLarge }: PolicyRecord): boolean {
  return problems.count === 0 && tooLarge === undefined;
}

/**
 * A policy that cannot be read keeps its last good version.
 *
 * @param total bytes of memory that the ProbePolicies of all namespaces may take together
 */
export function policyKind(catalogue: CheckCatalogue, kind: PolicyKind, total: number): InformedKind<PolicyRecord> {
  return {
    path: `/apis/${POLICY_API_VERSION}/${PLURALS[kind]}`,
    limits: kind === 'ProbePolicy' ? { ...POLICY_LIMITS, total } : NO_LIMITS,
    createdOf: ({ created }) => created,
    effectOf: (record) => record?.inForce?.policy,
    sizeOf: (record) => ({
      bytes: record.inForce?.bytes ?? 0,
      memory: (record.inForce?.memory ?? 0) + (isCurrent(record) ? 0 : PROBLEMS_MEMORY),
    }),
    read: (object, before) => ({ entry: readRecord(catalogue, kind, object, before) }),
  };
}

/** What is known of a policy from its object alone. */
export function observed(kind: PolicyKind, object: KubernetesObject): ObservedObject {
  const { name, namespace, generation, resourceVersion } = object.metadata;
  return {
    reference: { kind, namespace, name },
    generation: Number.isInteger(generation) ? generation : undefined,
    resourceVersion,
    shown: shownStatus((object as { status?: unknown }).status),
  };
}

function readRecord(
  catalogue: CheckCatalogue,
  kind: PolicyKind,
  object: KubernetesObject,
  before: PolicyRecord | undefined,
): PolicyRecord {
  const { name, uid, resourceVersion, creationTimestamp } = object.metadata;
  // An object that was deleted and created again under the same name has a new history.
  const earlier = before?.uid === uid ? before : undefined;
  if (resourceVersion !== undefined && earlier?.seen.resourceVersion === resourceVersion) return earlier;
  const seen = observed(kind, object);
  const created = (typeof creationTimestamp === 'string' ? parseInstant(creationTimestamp) : undefined) ?? 0;
  // The generation counts changes of the spec.
  if (earlier !== undefined && seen.generation !== undefined && seen.generation === earlier.seen.generation)
    return { ...earlier, seen };
  const { version, problems = [], tooLarge } = readVersion(catalogue, object, seen);
  return {
    name,
    seen,
    uid,
    created,
    inForce: version ?? earlier?.inForce,
    problems: keptProblems(problems),
    tooLarge,
    isLogged: false,
  };
}

/** Never throws, so that one object that cannot be read does not affect the others. */
function readVersion(
  catalogue: CheckCatalogue,
  object: KubernetesObject,
  seen: ObservedObject,
): { readonly version?: PolicyVersion; readonly problems?: readonly string[]; readonly tooLarge?: number } {
  const { spec } = object as { spec?: unknown };
  try {
    const text = jsonOf(spec) ?? '';
    // Bytes are counted only where they can matter, because a spec may have a million.
    const bytes = text.length > MAX_SPEC_BYTES ? text.length : utf8Length(text);
    if (bytes > MAX_SPEC_BYTES) return { tooLarge: bytes };
    // The items of a list have no apiVersion and no kind.
    const document = { apiVersion: POLICY_API_VERSION, kind: seen.reference.kind, metadata: object.metadata, spec };
    const parsed = parseProbePolicy(catalogue, document);
    if ('problems' in parsed) return { problems: parsed.problems.map(formatProblem) };
    const { policy, warnings } = parsed;
    const memory = memoryOfPolicy(spec, text);
    const generation = seen.generation ?? 0;
    return { version: { generation, policy, warnings: warnings.map(formatProblem), bytes, memory } };
  } catch (error) {
    return { problems: [`cannot be read: ${String(error)}`] };
  }
}

/** Undefined for an absent spec, and for one that is nested too deep for JSON. The parser reports both. */
function jsonOf(spec: unknown): string | undefined {
  try {
    return JSON.stringify(spec);
  } catch {
    return undefined;
  }
}

/** Thousands of policies may have a hundred problems each. */
const MAX_PROBLEMS_LENGTH = 1024;

function keptProblems(problems: readonly string[]): KeptProblems {
  const shown: string[] = [];
  let length = 0;
  for (const problem of problems) {
    if (shown.length > 0 && length + problem.length > MAX_PROBLEMS_LENGTH) break;
    shown.push(cut(problem, MAX_PROBLEMS_LENGTH));
    length += problem.length;
  }
  return { shown, count: problems.length };
}
