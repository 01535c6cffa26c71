import { cut } from '../text/cut.ts';
import { byteLength, MAX_SPEC_BYTES } from '../policy/bounds.ts';
import { formatProblem } from '../policy/problems.ts';
import { parseProbePolicy, POLICY_API_VERSION } from '../policy/probe-policy.ts';
import { isEarlier, lastGoodSpec, shownStatus } from './policy-status.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import { memoryOf } from '../policy/policy-budget.ts';
import type { Grant, Sized } from '../policy/policy-budget.ts';
import type { PolicyParse, ProbePolicy } from '../policy/probe-policy.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { ShownStatus } from './policy-status.ts';
import type { SharedParts } from './shared-parts.ts';

/** Metadata that is not kept of a policy, though its author may write as much of it as an object may hold. */
export const OMITTED_METADATA: readonly string[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** A version of a policy that could be read. */
export interface PolicyVersion extends Sized {
  readonly generation: number;
  /** Undefined when it was dropped because a budget had no room for it. */
  readonly content: VersionContent | undefined;
}

/** What a version in force takes memory for. */
export interface VersionContent {
  readonly policy: ProbePolicy;
  /** The spec as JSON text: a tenth of what the objects would take, and needed only should a later version be bad. */
  readonly spec: string;
}

/** What is kept of an object: never the object itself, most of which is others' metadata. */
export interface PolicyRecord {
  readonly reference: PolicyReference;
  readonly name: string;
  uid: string | undefined;
  generation: number | undefined;
  resourceVersion: string | undefined;
  /** In milliseconds since the epoch. */
  created: number;
  shown: ShownStatus;
  /** The newest version; undefined when it cannot be read. */
  newest: PolicyVersion | undefined;
  /** The last one that was in force, when it is not the newest. */
  lastGood: PolicyVersion | undefined;
  /** What keeps the newest version from being read. */
  problems: KeptProblems;
  /** Whether the problems have been told. */
  areProblemsTold: boolean;
  /** What the budgets leave of it. */
  grant: Grant;
  /** What was in force when that was last told. */
  told: ProbePolicy | undefined;
}

/** The version in force; undefined when there is none, or its content has yet to be loaded. */
export function contentInForce({ grant, newest, lastGood }: PolicyRecord): (PolicyVersion & Loaded) | undefined {
  // The last good version stays in force until the newest one is loaded.
  const latest = newest?.content === undefined ? lastGood : newest;
  const version = { newest: latest, lastGood, problems: undefined, none: undefined }[grant.version];
  return version?.content === undefined ? undefined : { ...version, content: version.content };
}

interface Loaded {
  readonly content: VersionContent;
}

/** What a policy has to be loaded for: a budget has room for more than is in memory. */
export function isIncomplete({ grant, newest, lastGood, problems }: PolicyRecord): boolean {
  if (grant.version === 'newest') return newest?.content === undefined;
  if (grant.version === 'lastGood' && lastGood?.content === undefined) return true;
  return grant.version !== 'none' && newest === undefined && problems.count === 0;
}

/** A version of which only the size is kept. */
export function withoutContent(version: PolicyVersion | undefined): PolicyVersion | undefined {
  return version?.content === undefined ? version : { ...version, content: undefined };
}

/** Some of the problems of a version, and how many there are. */
export interface KeptProblems {
  readonly shown: readonly string[];
  readonly count: number;
}

export const NO_PROBLEMS: KeptProblems = { shown: [], count: 0 };
const NO_GRANT: Grant = { version: 'none', exceeded: undefined };
/** Of one policy's problems only so much is kept: there may be thousands of policies with a hundred each. */
const MAX_PROBLEMS_LENGTH = 1024;

/**
 * What is to be kept of an object. The budgets may drop a part of it later.
 *
 * @param before what was kept of an earlier state of the object
 */
export function readRecord(
  reference: PolicyReference,
  object: KubernetesObject,
  before: PolicyRecord | undefined,
  parts: SharedParts,
): PolicyRecord {
  const { metadata } = object;
  const { spec, status } = object as { spec?: unknown; status?: unknown };
  const generation = integer(metadata.generation);
  // An object of the same name that was created anew has a history of its own.
  const earlier = before?.uid === metadata.uid ? before : undefined;
  const isSeen = generation !== undefined && generation === earlier?.generation;
  const kept = {
    reference,
    name: reference.name,
    uid: metadata.uid,
    generation,
    resourceVersion: metadata.resourceVersion,
    created: timeOf(metadata.creationTimestamp),
    shown: shownStatus(status),
  };
  // The generation counts changes of the spec: all else is nothing to us. What a budget dropped is loaded when there is room for it.
  if (isSeen && isSettled(earlier, kept.shown)) return { ...earlier, ...kept };
  const reader = new VersionReader(reference, object, parts);
  const read = reader.read(spec, generation ?? 0);
  const isGood = 'version' in read;
  const problems = isGood ? NO_PROBLEMS : keptProblems(read.problems);
  return {
    // One by one: an object that is spread takes more memory, and there are thousands.
    reference,
    name: reference.name,
    uid: kept.uid,
    generation,
    resourceVersion: kept.resourceVersion,
    created: kept.created,
    shown: kept.shown,
    newest: isGood ? read.version : undefined,
    lastGood: lastGoodOf(reader, earlier, kept, isSeen, lastGoodSpec(status)),
    problems,
    areProblemsTold: isSeen && earlier.areProblemsTold && isSame(problems, earlier.problems),
    grant: NO_GRANT,
    told: before?.told,
  };
}

/** Whether reading the same generation again could bring nothing new. */
function isSettled({ grant, newest, lastGood }: PolicyRecord, shown: ShownStatus): boolean {
  if (newest === undefined) return false;
  if (grant.version === 'newest') return newest.content !== undefined;
  return grant.version === 'none' && lastGood === undefined && shown.lastGood === undefined;
}

/** From memory or from the status, whichever is newer: a replica that missed a version goes by the leader's word. */
function lastGoodOf(
  reader: VersionReader,
  earlier: PolicyRecord | undefined,
  { generation, shown: { lastGood } }: Pick<PolicyRecord, 'generation' | 'shown'>,
  isSeen: boolean,
  spec: unknown,
): PolicyVersion | undefined {
  const wasInForce = earlier?.grant.version === 'newest' && earlier.newest?.content !== undefined;
  const remembered = wasInForce && !isSeen ? earlier.newest : earlier?.lastGood;
  if (lastGood === undefined || !isEarlier(lastGood.generation, generation)) return remembered;
  if (remembered !== undefined && remembered.generation > lastGood.generation) return remembered;
  if (remembered?.generation === lastGood.generation && remembered.content !== undefined) return remembered;
  const read = reader.read(spec, lastGood.generation);
  return 'version' in read && read.version.content !== undefined ? read.version : remembered;
}

/** Reads specs of one object. */
class VersionReader {
  readonly #reference: PolicyReference;
  readonly #metadata: KubernetesObject['metadata'];
  readonly #parts: SharedParts;

  constructor(reference: PolicyReference, { metadata }: KubernetesObject, parts: SharedParts) {
    this.#reference = reference;
    this.#metadata = metadata;
    this.#parts = parts;
  }

  /** Never throws: one object that cannot be read must not keep the others from being read. */
  read(spec: unknown, generation: number): { version: PolicyVersion } | { problems: readonly string[] } {
    try {
      const text = jsonOf(spec);
      // Bytes are counted only where they can make a difference: a spec may have a million.
      const length = text?.length ?? 0;
      const bytes = text === undefined || length > MAX_SPEC_BYTES ? length : byteLength(text);
      // Not even looked into: whatever is wrong with it, it does not come into force.
      if (bytes > MAX_SPEC_BYTES) return { version: { generation, bytes, memory: bytes, content: undefined } };
      const parsed = this.#parse(spec);
      if ('problems' in parsed) return { problems: parsed.problems.map(formatProblem) };
      const policy = this.#parts.share(parsed.policy, spec);
      const memory = memoryOf(spec, text ?? '');
      return { version: { generation, bytes, memory, content: { policy, spec: text ?? '' } } };
    } catch (error) {
      return { problems: [`cannot be read: ${String(error)}`] };
    }
  }

  #parse(spec: unknown): PolicyParse {
    const { kind } = this.#reference;
    // The items of a list come without the first two.
    return parseProbePolicy({ apiVersion: POLICY_API_VERSION, kind, metadata: this.#metadata, spec });
  }
}

/** Undefined for nothing, and for what is nested too deep for JSON: the parser says what is wrong with both. */
function jsonOf(spec: unknown): string | undefined {
  try {
    return JSON.stringify(spec);
  } catch {
    return undefined;
  }
}

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

function isSame(one: KeptProblems, other: KeptProblems): boolean {
  return one.count === other.count && one.shown.join('\n') === other.shown.join('\n');
}

function timeOf(timestamp: unknown): number {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN;
  return Number.isNaN(time) ? 0 : time;
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
