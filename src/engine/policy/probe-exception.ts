import { quoted } from '../../base/json/quoted-value.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import {
  BOUNDS,
  EXCEPTION_BOUNDS,
  NOT_BLANK_PATTERN,
  SHORTEST_REASON,
  textLength,
  WORKLOAD_KIND_PATTERN,
} from './bounds.ts';
import { readLabelSelector, type LabelSelector } from './label-selector.ts';
import { containerNameProblem, readApiVersion, readObjectName } from './object-names.ts';
import { optional, Reader, nullable, type FieldTable, type Problem } from './reader.ts';
import type { CheckCatalogue } from './check-parameters.ts';

export const EXCEPTION_KIND = 'ProbeException';

export interface NamedWorkload {
  readonly kind: string;
  readonly name: string;
}

export interface ExceptionSpec {
  readonly checks: readonly string[];
  /** Either `workloads` or `workloadSelector` is set. */
  readonly workloads?: readonly NamedWorkload[];
  readonly workloadSelector?: LabelSelector;
  readonly containers?: readonly string[];
  readonly owner: string;
  readonly reason: string;
  readonly ticket?: string;
}

/** What is kept of the status of an exception, for the writer of statuses. */
export interface ReportedStatus {
  /** Undefined when the status is about an earlier version. */
  readonly state: string | undefined;
  readonly isLimited: boolean;
  /** When the exception last matched, in milliseconds since the epoch. */
  readonly lastMatched: number | undefined;
}

/** A ProbeException: violations that its namespace tolerates, until an instant; and what its status says. */
export interface ProbeException extends ReportedStatus {
  readonly name: string;
  /** The exception is not honoured at or after this instant, in milliseconds since the epoch. */
  readonly expires: number;
  /** In milliseconds since the epoch. Undefined for an exception in a file. */
  readonly created: number | undefined;
  /** The spec as JSON. The webhook keeps tens of thousands, and one text takes a third of the memory of its objects. */
  readonly text: string;
}

export function exceptionSpec({ text }: ProbeException): ExceptionSpec {
  return JSON.parse(text) as ExceptionSpec;
}

export type ExceptionParse =
  { readonly exception: ProbeException; readonly problems?: undefined } | { readonly problems: readonly Problem[] };

/** Reads a ProbeException from a file or a custom resource. Unknown keys are problems; all have their paths. */
export function parseProbeException(catalogue: CheckCatalogue, document: unknown): ExceptionParse {
  const problems: Problem[] = [];
  const exception = readException(catalogue, new Reader(document, [], problems));
  return exception === undefined || problems.length > 0 ? { problems } : { exception };
}

function readException(catalogue: CheckCatalogue, reader: Reader): ProbeException | undefined {
  if (reader.object(['apiVersion', 'kind', 'metadata', 'spec', 'status']) === undefined) return undefined;
  readApiVersion(reader.at('apiVersion'));
  reader.at('kind').oneOf([EXCEPTION_KIND]);
  const metadata = reader.at('metadata');
  const name = readMetadata(metadata);
  const spec = reader.at('spec');
  if (!spec.isGiven) return spec.report('must be given');
  const read = spec.fields(specFields(catalogue, spec));
  if (name === undefined || read === undefined) return undefined;
  const at = metadata.at('creationTimestamp').value;
  const created = typeof at === 'string' ? parseInstant(at) : undefined;
  // A required field without a value is a problem, and then nobody uses the exception.
  const { expires, ...rest } = read as ExceptionSpec & { readonly expires: number };
  const text = JSON.stringify(rest);
  return { name, expires, created, text, state: undefined, isLimited: false, lastMatched: undefined };
}

function readMetadata(metadata: Reader): string | undefined {
  if (metadata.anyObject() === undefined) return undefined;
  readObjectName(metadata.at('namespace'));
  return readObjectName(metadata.at('name'));
}

function specFields(catalogue: CheckCatalogue, spec: Reader): FieldTable<ExceptionSpec & { readonly expires: number }> {
  return {
    expires: readInstant,
    checks: (field) => readCheckIds(catalogue, field),
    workloads: (field) => {
      if (field.isGiven === spec.at('workloadSelector').isGiven)
        spec.report(
          `must have either workloads or workloadSelector${field.isGiven ? ', not both' : '; {} selects every workload'}`,
        );
      return optional(readWorkloads)(field);
    },
    workloadSelector: optional((field) => readLabelSelector(field, EXCEPTION_BOUNDS)),
    containers: optional((field) =>
      field.names('container', BOUNDS.containers, BOUNDS.containerName, containerNameProblem),
    ),
    owner: (field) => readText(field, EXCEPTION_BOUNDS.owner),
    reason: (field) => readText(field, EXCEPTION_BOUNDS.reason, SHORTEST_REASON),
    ticket: optional((field) => readText(field, EXCEPTION_BOUNDS.ticket)),
  };
}

/** Reads a list of check ids, without wildcards. */
export function readCheckIds(catalogue: CheckCatalogue, reader: Reader): readonly string[] | undefined {
  if (!reader.isGiven) return reader.report('must be given: a list of check ids');
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

function readText(
  reader: Reader,
  bound: (typeof EXCEPTION_BOUNDS)['owner' | 'reason' | 'ticket'],
  shortest = 1,
): string | undefined {
  if (!reader.isGiven) return reader.report('must be given');
  const text = reader.string(bound);
  if (text === undefined) return undefined;
  if (!NOT_BLANK.test(text)) return reader.report('must not be empty');
  const length = textLength(text);
  return length >= shortest ? text : reader.report(`must have at least ${shortest} characters, not ${length}`);
}

function readInstant(reader: Reader): number | undefined {
  if (!reader.isGiven) return reader.report('must be given: an instant such as 2027-01-31T00:00:00Z');
  const text = reader.string(EXCEPTION_BOUNDS.expires);
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  return reader.report(`must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not ${quoted(text)}`);
}

/** The rules of one ClusterProbePolicy about exceptions. Null removes the value of lower layers. */
export interface ExceptionSettings {
  readonly action?: 'Allow' | 'Ignore';
  readonly maximumDays?: number | null;
  readonly checks?: readonly string[] | null;
}

export interface ExceptionRules {
  readonly action: 'Allow' | 'Ignore';
  readonly maximumDays: number;
  readonly checks: 'all' | readonly string[];
}

export const MOST_EXCEPTION_DAYS = 3650;

export const EXCEPTION_ACTIONS = ['Allow', 'Ignore'] as const;

const DAY = 24 * 60 * 60 * 1000;

export function readExceptionSettings(catalogue: CheckCatalogue, reader: Reader): ExceptionSettings | undefined {
  return reader.fields<ExceptionSettings>({
    action: optional((field) => field.oneOf(EXCEPTION_ACTIONS)),
    maximumDays: nullable((field) => field.integer(1, MOST_EXCEPTION_DAYS)),
    checks: nullable((field) =>
      // No check at all is a rule too.
      Array.isArray(field.value) && field.value.length === 0 ? [] : readCheckIds(catalogue, field),
    ),
  });
}

export function exceptionRules(layers: readonly { readonly exceptions?: ExceptionSettings }[]): ExceptionRules {
  const set = layers.flatMap(({ exceptions }) => exceptions ?? []);
  const highest = <Rule extends keyof ExceptionSettings>(rule: Rule): ExceptionSettings[Rule] | undefined =>
    set.findLast((rules) => rules[rule] !== undefined)?.[rule];
  return {
    action: highest('action') ?? 'Allow',
    maximumDays: highest('maximumDays') ?? 365,
    checks: highest('checks') ?? 'all',
  };
}

export function mayExcept(rules: ExceptionRules, check: string): boolean {
  return rules.checks === 'all' || rules.checks.includes(check);
}

/**
 * The instant from which on an exception is not honoured: its end, or the longest time after its creation that the
 * rules allow. An exception in a file has no creation.
 */
export function endOf({ expires, created }: ProbeException, { maximumDays }: ExceptionRules): number {
  return created === undefined ? expires : Math.min(expires, created + maximumDays * DAY);
}

/** An exception within this time before its end causes warnings. */
export const EXPIRING_MILLISECONDS = 14 * DAY;

/** True if the rules shorten an exception, or leave out some of its checks. */
export function isLimited(exception: ProbeException, rules: ExceptionRules): boolean {
  if (rules.action === 'Ignore') return true;
  return (
    endOf(exception, rules) < exception.expires ||
    exceptionSpec(exception).checks.some((check) => !mayExcept(rules, check))
  );
}

/** The states of an exception. Expiring: the end is within 14 days. Unused: no match for 30 days. */
export const EXCEPTION_STATES = ['Active', 'Expiring', 'Expired', 'Unused'] as const;
export type ExceptionState = (typeof EXCEPTION_STATES)[number];

/** The states of an exception that Probewright does not keep: a budget has no room for it, or it cannot be read. */
export const LEFT_OUT_STATES = ['OverBudget', 'Invalid'] as const;
export type LeftOutState = (typeof LEFT_OUT_STATES)[number];

/**
 * The state of an exception at an instant. An exception that is unused and expiring is expiring.
 * @param lastMatched when the exception last allowed a violation, in milliseconds since the epoch
 */
export function exceptionState(
  exception: ProbeException,
  rules: ExceptionRules,
  lastMatched: number | undefined,
  now: number,
): ExceptionState {
  const left = endOf(exception, rules) - now;
  if (left <= 0) return 'Expired';
  if (left <= EXPIRING_MILLISECONDS) return 'Expiring';
  const since = Math.max(exception.created ?? now, lastMatched ?? -Infinity);
  return now - since >= 30 * DAY ? 'Unused' : 'Active';
}
