import { cut } from '../../base/text/cut.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { MAX_SPEC_BYTES } from '../../engine/policy/bounds.ts';
import { formatProblem } from '../../engine/policy/problems.ts';
import { POLICY_API_VERSION } from '../../engine/policy/api-version.ts';
import { parseProbePolicy } from '../../engine/policy/probe-policy.ts';
import { isEarlier, lastGoodSpec, shownStatus } from './policy-status.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import { memoryOf } from '../../engine/policy/policy-budget.ts';
import type { Grant, Sized } from '../../engine/policy/policy-budget.ts';
import type { PolicyParse, ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { ShownStatus } from './policy-status.ts';
import type { InternedPolicyParts } from './interned-policy-parts.ts';

/** Metadata that is not kept of a policy. An author may fill the object with such metadata. */
export const OMITTED_METADATA: readonly string[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** A version of a policy that could be read. */
export interface PolicyVersion extends Sized {
  readonly generation: number;
  /** Undefined when the content was dropped because a budget had no room. */
  readonly content: VersionContent | undefined;
}

/** The part of a version that takes memory. Kept while the version is in force. */
export interface VersionContent {
  readonly policy: ProbePolicy;
  /**
   * The spec as JSON text, which takes a tenth of the memory of objects. Needed only when a later version cannot be
   * read.
   */
  readonly spec: string;
  /** Warnings, as `path: message`. */
  readonly warnings: readonly string[];
}

/** The record of an object. The object itself is dropped, because most of it is metadata that is not needed. */
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
  /** The last version that was in force, when that is not the newest version. */
  lastGood: PolicyVersion | undefined;
  /** Why the newest version cannot be read. */
  problems: KeptProblems;
  areProblemsReported: boolean;
  /** The room that the budgets leave for the policy. */
  grant: Grant;
  /** The version that was in force at the last report. */
  inForce: ProbePolicy | undefined;
}

/** The version in force; undefined when no version is, or when the content is not loaded yet. */
export function contentInForce({ grant, newest, lastGood }: PolicyRecord): (PolicyVersion & Loaded) | undefined {
  // The last good version stays in force until the newest one is loaded.
  const latest = newest?.content === undefined ? lastGood : newest;
  const version = { newest: latest, lastGood, problems: undefined, none: undefined }[grant.version];
  return version?.content === undefined ? undefined : { ...version, content: version.content };
}

interface Loaded {
  readonly content: VersionContent;
}

/** True when a budget has room for a version whose content is not in memory, so that the policy has to be loaded. */
export function isIncomplete({ grant, newest, lastGood, problems }: PolicyRecord): boolean {
  if (grant.version === 'newest') return newest?.content === undefined;
  if (grant.version === 'lastGood' && lastGood?.content === undefined) return true;
  return grant.version !== 'none' && newest === undefined && problems.count === 0;
}

/** True when a budget keeps the newest version out of force, and no problem does. */
export function isOverBudget({ grant, problems }: PolicyRecord): boolean {
  return grant.exceeded !== undefined && problems.count === 0;
}

/** Drops the content of versions that have no room. True when the policy is granted something else than before. */
export function applyGrant(record: PolicyRecord, grant: Grant): boolean {
  const { version, exceeded } = record.grant;
  record.grant = grant;
  if (grant.version !== 'newest') record.newest = withoutContent(record.newest);
  if (grant.version === 'newest') {
    // Until the newest version is loaded, the last good version stays in force.
    if (record.newest?.content !== undefined) record.lastGood = undefined;
  } else if (grant.version !== 'lastGood') record.lastGood = stillShown(record);
  if (grant.version === 'none') record.problems = NO_PROBLEMS;
  return version !== grant.version || exceeded !== grant.exceeded;
}

/**
 * A last good version without room is dropped. When the status shows it, its size is kept, so that it can be loaded
 * again.
 */
function stillShown({ lastGood, shown }: PolicyRecord): PolicyVersion | undefined {
  return lastGood?.generation === shown.lastGood?.generation ? withoutContent(lastGood) : undefined;
}

/** A version of which only the size is kept. */
function withoutContent(version: PolicyVersion | undefined): PolicyVersion | undefined {
  return version?.content === undefined ? version : { ...version, content: undefined };
}

/** Some of the problems of a version, and how many there are. */
export interface KeptProblems {
  readonly shown: readonly string[];
  readonly count: number;
}

const NO_PROBLEMS: KeptProblems = { shown: [], count: 0 };
const NO_GRANT: Grant = { version: 'none', exceeded: undefined };
/**
 * The most characters of one policy's problems that are kept: thousands of policies may have a hundred problems each.
 */
const MAX_PROBLEMS_LENGTH = 1024;

/**
 * Reads what is kept of an object. Budgets may drop a part of the record later.
 *
 * @param before the record of an earlier state of the object
 */
export function readRecord(
  catalogue: CheckCatalogue,
  reference: PolicyReference,
  object: KubernetesObject,
  before: PolicyRecord | undefined,
  parts: InternedPolicyParts,
): PolicyRecord {
  const { metadata } = object;
  const { spec, status } = object as { spec?: unknown; status?: unknown };
  const generation = integer(metadata.generation);
  // An object that was deleted and created again under the same name has a new history.
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
  // The generation counts changes of the spec, and other changes do not matter here. Content that a budget dropped is
  // loaded when there is room.
  if (isSeen && isSettled(earlier, kept.shown)) return { ...earlier, ...kept };
  const reader = new VersionReader(catalogue, reference, object, parts);
  const read = reader.read(spec, generation ?? 0);
  const isGood = 'version' in read;
  const problems = isGood ? NO_PROBLEMS : keptProblems(read.problems);
  return {
    // Member by member, because an object made by spreading takes more memory, and there are thousands.
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
    areProblemsReported: isSeen && earlier.areProblemsReported && isSame(problems, earlier.problems),
    grant: NO_GRANT,
    inForce: before?.inForce,
  };
}

/** True when reading the same generation again can change nothing. */
function isSettled({ grant, newest, lastGood }: PolicyRecord, shown: ShownStatus): boolean {
  if (newest === undefined) return false;
  if (grant.version === 'newest') return newest.content !== undefined;
  return grant.version === 'none' && lastGood === undefined && shown.lastGood === undefined;
}

/**
 * The newer one of the versions in memory and in the status. A replica that missed a version takes it from the status,
 * which the leader writes.
 */
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
  readonly #catalogue: CheckCatalogue;
  readonly #reference: PolicyReference;
  readonly #metadata: KubernetesObject['metadata'];
  readonly #parts: InternedPolicyParts;

  constructor(
    catalogue: CheckCatalogue,
    reference: PolicyReference,
    { metadata }: KubernetesObject,
    parts: InternedPolicyParts,
  ) {
    this.#catalogue = catalogue;
    this.#reference = reference;
    this.#metadata = metadata;
    this.#parts = parts;
  }

  /** Never throws, so that one object that cannot be read does not affect the others. */
  read(spec: unknown, generation: number): { version: PolicyVersion } | { problems: readonly string[] } {
    try {
      const text = jsonOf(spec);
      // Bytes are counted only where they can matter, because a spec may have a million.
      const length = text?.length ?? 0;
      const bytes = text === undefined || length > MAX_SPEC_BYTES ? length : utf8Length(text);
      // The spec is not parsed, because it cannot come into force.
      if (bytes > MAX_SPEC_BYTES) return { version: { generation, bytes, memory: bytes, content: undefined } };
      const parsed = this.#parse(spec);
      if ('problems' in parsed) return { problems: parsed.problems.map(formatProblem) };
      const policy = this.#parts.share(parsed.policy, spec);
      const memory = memoryOf(spec, text ?? '');
      const warnings = this.#parts.shareTexts(parsed.warnings.map(formatProblem));
      return { version: { generation, bytes, memory, content: { policy, spec: text ?? '', warnings } } };
    } catch (error) {
      return { problems: [`cannot be read: ${String(error)}`] };
    }
  }

  #parse(spec: unknown): PolicyParse {
    const { kind } = this.#reference;
    // The items of a list have no apiVersion and no kind.
    const document = { apiVersion: POLICY_API_VERSION, kind, metadata: this.#metadata, spec };
    return parseProbePolicy(this.#catalogue, document);
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
