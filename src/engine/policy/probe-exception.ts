import { quoted } from '../../base/json/quoted-value.ts';
import { parseInstant } from '../../base/text/instant.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { BOUNDS, textLength } from './bounds.ts';
import { isDnsLabel } from './dns-label.ts';
import { isDnsSubdomain } from './dns-subdomain.ts';
import { EXCEPTION_BOUNDS, NOT_BLANK_PATTERN, SHORTEST_REASON, WORKLOAD_KIND_PATTERN } from './exception-bounds.ts';
import { readLabelSelector } from './label-selector.ts';
import { POLICY_API_VERSION } from './api-version.ts';
import { Reader } from './reader.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { LabelSelector } from './label-selector.ts';
import type { Problem } from './problems.ts';

export const EXCEPTION_KIND = 'ProbeException';

/** A workload that an exception names. */
export interface NamedWorkload {
  readonly kind: string;
  readonly name: string;
}

/** The spec of a ProbeException, without its end. */
export interface ExceptionSpec {
  readonly checks: readonly string[];
  /** Either `workloads` or `workloadSelector` is set. */
  readonly workloads?: readonly NamedWorkload[];
  /** Over the labels of the Pods. */
  readonly workloadSelector?: LabelSelector;
  /** Absent = all containers. */
  readonly containers?: readonly string[];
  readonly owner: string;
  readonly reason: string;
  readonly ticket?: string;
}

/**
 * A ProbeException: violations that its namespace tolerates, until an instant. The webhook keeps tens of thousands of
 * them, so each is one text of about 170 bytes. The text is read when a workload of the namespace has violations.
 */
export class ProbeException {
  /** `["name expires created","reported",...]`: a JSON list, so that the string has no parts in other strings. */
  readonly text: string;

  constructor(
    name: string,
    spec: ExceptionSpec,
    { expires, created, reported }: Pick<ProbeException, 'expires' | 'created' | 'reported'>,
  ) {
    const { checks, workloads, workloadSelector, containers, owner, reason, ticket } = spec;
    const named = workloads?.map(({ kind, name: workload }) => `${kind}/${workload}`);
    const packed: Packed = [
      `${name} ${letters(expires)} ${created === undefined ? '' : letters(created)}`,
      reported ?? '',
      checks,
      named ?? 0,
      workloadSelector ?? 0,
      containers ?? 0,
      owner,
      reason,
      ticket ?? 0,
    ];
    this.text = JSON.stringify(packed);
  }

  get name(): string {
    return headOf(this.text)[0] ?? '';
  }

  /** The exception is not honoured at or after this instant, in milliseconds since the epoch. */
  get expires(): number {
    return milliseconds(headOf(this.text)[1] ?? '');
  }

  /** In milliseconds since the epoch. Undefined for an exception in a file. */
  get created(): number | undefined {
    const created = headOf(this.text)[2] ?? '';
    return created === '' ? undefined : milliseconds(created);
  }

  /** The status of the object, for the writer of statuses. */
  get reported(): string | undefined {
    return packedIn(this.text)[1] || undefined;
  }

  get spec(): ExceptionSpec {
    const [, , checks, named, workloadSelector, containers, owner, reason, ticket] = packedIn(this.text);
    return {
      checks,
      ...(named !== 0 && { workloads: named.map(namedWorkload) }),
      ...(workloadSelector !== 0 && { workloadSelector }),
      ...(containers !== 0 && { containers }),
      owner,
      reason,
      ...(ticket !== 0 && { ticket }),
    };
  }

  /**
   * True if the exception may name the check. False only if the exception does not name the check. Cheaper than reading
   * the spec.
   */
  maySpeakOf(check: string): boolean {
    return this.text.includes(`"${check}"`);
  }
}

/** The members of an exception's text. 0 stands for an absent value. */
type Packed = [
  head: string,
  reported: string,
  checks: readonly string[],
  workloads: readonly string[] | 0,
  workloadSelector: LabelSelector | 0,
  containers: readonly string[] | 0,
  owner: string,
  reason: string,
  ticket: string | 0,
];

/** Neither a kind nor a name has a slash. */
function namedWorkload(text: string): NamedWorkload {
  const slash = text.indexOf('/');
  return { kind: text.slice(0, slash), name: text.slice(slash + 1) };
}

// Functions, because a private accessor would cost each instance memory.
/** The name, the end and the creation. No name has a blank or a character that JSON escapes. */
function headOf(text: string): readonly string[] {
  return text.slice(2, text.indexOf('"', 2)).split(' ');
}

/** An instant in few letters. */
function letters(instant: number): string {
  return instant.toString(36);
}

function milliseconds(text: string): number {
  return Number.parseInt(text, 36);
}

function packedIn(text: string): Packed {
  return JSON.parse(text) as Packed;
}

/** The result of reading a ProbeException: the exception, or all of its problems. */
export type ExceptionParse = { readonly exception: ProbeException } | { readonly problems: readonly Problem[] };

/**
 * Reads a ProbeException, from a YAML file or a custom resource. Unknown keys are rejected. All problems are reported,
 * each with the path of the field.
 *
 * @param catalogue the checks that an exception may name
 */
export function parseProbeException(catalogue: CheckCatalogue, document: unknown): ExceptionParse {
  const problems: Problem[] = [];
  const reader = new Reader(document, [], problems);
  const exception = readException(catalogue, reader);
  return exception === undefined || problems.length > 0 ? { problems } : { exception };
}

function readException(catalogue: CheckCatalogue, reader: Reader): ProbeException | undefined {
  if (reader.object(['apiVersion', 'kind', 'metadata', 'spec', 'status']) === undefined) return undefined;
  const apiVersion = reader.at('apiVersion');
  if (apiVersion.value !== POLICY_API_VERSION)
    apiVersion.report(`must be ${POLICY_API_VERSION}, not ${quoted(apiVersion.value)}`);
  reader.at('kind').oneOf([EXCEPTION_KIND]);
  const name = readMetadata(reader.at('metadata'));
  const spec = reader.at('spec');
  if (spec.isAbsent || spec.isNull) return spec.report('must be given');
  if (spec.object(SPEC_FIELDS) === undefined) return undefined;
  const expires = readInstant(spec.at('expires'));
  const read = readSpec(catalogue, spec);
  if (name === undefined || expires === undefined || read === undefined) return undefined;
  const created = reader.at('metadata').at('creationTimestamp').value;
  return new ProbeException(name, read, {
    expires,
    created: typeof created === 'string' ? parseInstant(created) : undefined,
    reported: undefined,
  });
}

const SPEC_FIELDS = [
  'checks',
  'workloads',
  'workloadSelector',
  'containers',
  'owner',
  'reason',
  'ticket',
  'expires',
] as const;

function readMetadata(metadata: Reader): string | undefined {
  if (metadata.anyObject() === undefined) return undefined;
  readObjectName(metadata.at('namespace'));
  return readObjectName(metadata.at('name'));
}

function readObjectName(reader: Reader): string | undefined {
  if (reader.isAbsent) return reader.report('must be given');
  const name = reader.string();
  if (name === undefined || isDnsSubdomain(name)) return name;
  return reader.report(`${quoted(name)} is not an object name: lower-case letters, digits, "-" and "."`);
}

function readSpec(catalogue: CheckCatalogue, spec: Reader): ExceptionSpec | undefined {
  const checks = readCheckIds(catalogue, spec.at('checks'));
  const [named, selected] = [spec.at('workloads'), spec.at('workloadSelector')];
  if (isGiven(named) === isGiven(selected))
    spec.report(
      `must have either workloads or workloadSelector${isGiven(named) ? ', not both' : '; {} selects every workload'}`,
    );
  const workloads = isGiven(named) ? readWorkloads(named) : undefined;
  const workloadSelector = isGiven(selected) ? readLabelSelector(selected, EXCEPTION_BOUNDS) : undefined;
  const listed = spec.at('containers');
  const containers = isGiven(listed)
    ? listed.names('container', BOUNDS.containers, BOUNDS.containerName, containerProblem)
    : undefined;
  const owner = readText(spec.at('owner'), EXCEPTION_BOUNDS.owner);
  const reason = readText(spec.at('reason'), EXCEPTION_BOUNDS.reason, SHORTEST_REASON);
  const ticket = isGiven(spec.at('ticket')) ? readText(spec.at('ticket'), EXCEPTION_BOUNDS.ticket) : undefined;
  if (checks === undefined || owner === undefined || reason === undefined) return undefined;
  return {
    checks,
    ...(workloads && { workloads }),
    ...(workloadSelector && { workloadSelector }),
    ...(containers && { containers }),
    owner,
    reason,
    ...(ticket !== undefined && { ticket }),
  };
}

/** Reads a list of check ids, without wildcards. */
export function readCheckIds(catalogue: CheckCatalogue, reader: Reader): readonly string[] | undefined {
  if (!isGiven(reader)) return reader.report('must be given: a list of check ids');
  const ids = Object.keys(catalogue);
  return reader.names('check', EXCEPTION_BOUNDS.checks, undefined, (id) => {
    if (Object.hasOwn(catalogue, id)) return undefined;
    if (id.includes('*')) return `${quoted(id)}: an exception names each check; there is no wildcard`;
    return `unknown check ${quoted(id)}${didYouMean(id, ids) || '; docs/checks.md lists the checks'}`;
  });
}

function readWorkloads(reader: Reader): readonly NamedWorkload[] | undefined {
  const elements = reader.list(EXCEPTION_BOUNDS.workloads);
  if (elements?.length === 0) return reader.report('must name at least one workload');
  return elements?.flatMap((element) => {
    if (element.object(['kind', 'name']) === undefined) return [];
    const kind = readKind(element.at('kind'));
    const name = readObjectName(element.at('name'));
    return kind === undefined || name === undefined ? [] : [{ kind, name }];
  });
}

const KIND = new RegExp(WORKLOAD_KIND_PATTERN);
const NOT_BLANK = new RegExp(NOT_BLANK_PATTERN);

function readKind(reader: Reader): string | undefined {
  if (reader.isAbsent) return reader.report('must be given');
  const kind = reader.string(EXCEPTION_BOUNDS.workloadKind);
  if (kind === undefined || KIND.test(kind)) return kind;
  return reader.report(`${quoted(kind)} is not a kind: write it as in manifests, such as Deployment`);
}

/** A name that no container can have is a mistake: the exception would never count. */
function containerProblem(name: string): string | undefined {
  if (isDnsLabel(name)) return undefined;
  return `${quoted(name)} is not a container name: lower-case letters, digits and "-", such as "app"`;
}

function readText(
  reader: Reader,
  bound: (typeof EXCEPTION_BOUNDS)['owner' | 'reason' | 'ticket'],
  shortest = 1,
): string | undefined {
  if (!isGiven(reader)) return reader.report('must be given');
  const text = reader.string(bound);
  if (text === undefined) return undefined;
  if (!NOT_BLANK.test(text)) return reader.report('must not be empty');
  const length = textLength(text);
  return length >= shortest ? text : reader.report(`must have at least ${shortest} characters, not ${length}`);
}

function readInstant(reader: Reader): number | undefined {
  if (!isGiven(reader)) return reader.report('must be given: an instant such as 2027-01-31T00:00:00Z');
  const text = reader.string(EXCEPTION_BOUNDS.expires);
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  return reader.report(`must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not ${quoted(text)}`);
}

/** Null is an empty field in YAML and counts as absent. */
function isGiven(reader: Reader): boolean {
  return !reader.isAbsent && !reader.isNull;
}
