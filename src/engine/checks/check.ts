import { isJsonObject, listMember, stringMember } from '../../base/json/json-value.ts';
import { quote } from '../../base/text/cut.ts';
import { jsonText } from '../../base/text/visible.ts';
import type { CheckDefinition, CheckParameters, ParameterValues, ValuesOf } from '../policy/check-parameters.ts';
import type { HandlerKind, ProbeKind } from '../probe/probe.ts';
import type { CheckedContainer, CheckedProbe } from './checked-workload.ts';
import type { Violation } from './violation.ts';

type Reported = 'probe' | 'path' | 'message' | 'remedy' | 'edits' | 'properties' | 'reason';

/**
 * A violation of one check, as the check reports it: without `probe` it is about the container as a whole. The message
 * has at most 200 characters. The edits cause no other finding, at any action (safe-advice.property.test.ts).
 */
export interface Finding extends Pick<Violation, Reported> {
  /** In place of the check's default action. A policy's action overrides it; a floor still binds (actionOf). */
  readonly level?: Violation['action'];
  /** The remedy copies this handler. With a finding about it, `otherwise` replaces the remedy and its edits. */
  readonly copied?: { readonly probe: ProbeKind; readonly otherwise: string };
}

/** What to write instead. */
export type Advice = Pick<Finding, 'remedy' | 'edits' | 'copied'>;

type Run<Parameters, Findings> = (container: CheckedContainer, parameters: Parameters) => Findings;

interface CheckTraits {
  /** A violation means that the probe cannot work at all. Reports then show the category `Cannot work`. */
  readonly cannotWork?: true;
  /** The check also reads plain init, ephemeral and mesh containers. */
  readonly everyContainer?: true;
  /** Probes that the rule also reads. When one of these is injected, the violation says so. */
  readonly relatedProbes?: readonly ProbeKind[];
  /** The check requires probes. A policy that removes a probe can therefore cause a violation. */
  readonly requiresProbes?: true;
  /** Drops a finding about a liveness delay from which an injected startup probe was made. */
  readonly acceptsDelayOfInjectedStartup?: true;
  /** A finding at a handler says nothing against the handler, so other findings may still advise to copy it. */
  readonly acceptsHandler?: true;
  /** The rule needs only numbers, paths and commands, so it also judges a policy alone (policy-advice.ts). */
  readonly judgesProbeAlone?: true;
  /** The rule is about these handlers; a container without such a probe is skipped. Undefined for all. */
  readonly handlers?: readonly HandlerKind[];
}

/** One check of the catalogue (docs/checks.md). */
export interface Check extends CheckDefinition, CheckTraits {
  /** @param parameters values for this check, as a CheckPolicy holds them */
  readonly run: Run<ParameterValues, readonly Finding[]>;
}

/** What a check does. It gets a value for each parameter: the value that policies set, else the default. */
interface CheckRule<Parameters> {
  /** Judges one probe. Called for each probe with one of the handlers and kinds. */
  readonly eachProbe?: (probe: CheckedProbe, parameters: Parameters) => Finding | undefined;
  /** The kinds of probes that `eachProbe` judges. Undefined for all. */
  readonly kinds?: readonly ProbeKind[];
  /** Judges the container, for a rule that `eachProbe` cannot express. */
  readonly run?: Run<Parameters, readonly Finding[] | Finding | undefined>;
}

/** Makes a check. */
export function defineCheck<const Parameters extends CheckParameters = Record<string, never>>({
  eachProbe,
  kinds,
  run,
  ...definition
}: Omit<CheckDefinition, 'parameters'> &
  CheckTraits &
  CheckRule<ValuesOf<Parameters>> & { readonly parameters?: Parameters }): Check {
  const { handlers } = definition;
  const judge: Run<ValuesOf<Parameters>, readonly Finding[]> = (container, parameters) => {
    const found = run?.(container, parameters) ?? NOTHING;
    if (eachProbe === undefined) return 'message' in found ? [found] : found;
    let findings: Finding[] | undefined;
    for (const probe of container.probes) {
      if (handlers?.includes(probe.handlerKind) === false || kinds?.includes(probe.kind) === false) continue;
      const finding = eachProbe(probe, parameters);
      if (finding !== undefined) (findings ??= []).push(finding);
    }
    return findings ?? NOTHING;
  };
  return {
    parameters: {},
    ...definition,
    // The policy parser and the layers build the values from these parameters. No type can express this for all checks
    // at once.
    run: judge as unknown as Check['run'],
  };
}

const NOTHING: readonly Finding[] = [];

/** The probe that a finding is about, and the path of a field in it. */
export function located(
  probe: CheckedProbe,
  ...steps: readonly (string | number)[]
): Required<Pick<Finding, 'probe' | 'path'>> {
  return { probe: probe.kind, path: probe.place.path(...steps) };
}

/** Most findings of a check about one probe: lists of headers or words may have thousands of elements. */
export const MOST_PROBE_FINDINGS = 100;

/** A header of an HTTP probe that has a value. `name` is '' when it is missing. */
export interface CheckedHeader {
  readonly name: string;
  readonly value: string;
  /** Place in the list of headers. */
  readonly index: number;
}

/** Collects the findings of a check for each header of each HTTP probe, at most MOST_PROBE_FINDINGS for one probe. */
export function eachHeader(
  { probes }: CheckedContainer,
  violationOf: (probe: CheckedProbe, header: CheckedHeader) => Finding | undefined,
): Finding[] {
  return probes.flatMap((probe) => {
    if (probe.handlerKind !== 'httpGet') return [];
    const findings: Finding[] = [];
    for (const [index, header] of listMember(probe.handler, 'httpHeaders').entries()) {
      if (findings.length === MOST_PROBE_FINDINGS) break;
      const value = isJsonObject(header) ? stringMember(header, 'value') : undefined;
      if (!isJsonObject(header) || value === undefined) continue;
      const finding = violationOf(probe, { name: stringMember(header, 'name') ?? '', value, index });
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  });
}

/** Longest container name that the API server accepts, with its quotes. */
const MOST_NAME_CHARACTERS = 65;

/** Formats `container "app"`, the form that every message uses. */
export function containerPhrase(container: CheckedContainer): string {
  return `container ${quote(container.name, MOST_NAME_CHARACTERS)}`;
}

/** Most characters of a value in a message, with its quotes. A message has at most 200 characters in all. */
const MOST_VALUE_CHARACTERS = 40;

/** Quotes a value from the object for a message. */
export function quotedValue(text: string): string {
  return quote(text, MOST_VALUE_CHARACTERS);
}

const MOST_WORDS = 3;

/**
 * Joins the first words, and counts the others: `a, b, c and 4 more`.
 * @param total how many words there are, if `words` holds only the first of them
 */
export function firstListed(
  words: readonly string[],
  conjunction: 'and' | 'or' = 'and',
  total: number = words.length,
): string {
  if (total <= MOST_WORDS + 1) return listed(words, conjunction);
  return listed([...words.slice(0, MOST_WORDS), `${total - MOST_WORDS} more`]);
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Formats a JSON value as YAML on one line: `{ httpGet: { path: /live, port: http }, periodSeconds: 5 }`. */
export function yamlFlow(value: unknown): string {
  if (typeof value === 'string') return isPlainScalar(value) ? value : jsonText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => `${yamlFlow(key)}: ${yamlFlow(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Words that YAML 1.1 reads as another type than text. kubectl reads YAML 1.1. */
const NOT_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function isPlainScalar(text: string): boolean {
  return /^[A-Za-z/][\w./-]*$/.test(text) && !NOT_TEXT.test(text);
}
