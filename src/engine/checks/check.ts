import { quote } from '../../base/text/cut.ts';
import { jsonText } from '../../base/text/visible.ts';
import type { CheckDefinition, CheckParameters, ParameterValues, ValuesOf } from '../policy/check-parameters.ts';
import type { HandlerKind, ProbeKind } from '../probe/probe.ts';
import type { Container, Probe, ProbeWith } from '../workload/pod.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import type { Violation } from './violation.ts';

type Reported = 'probe' | 'path' | 'message' | 'remedy' | 'edits' | 'properties' | 'reason' | 'isUnread';

/**
 * A violation of one check, as the check reports it: without `probe` it is about the container as a whole. The message
 * has at most 200 characters. The edits cause no other finding, at any action (safe-advice.property.test.ts).
 */
export interface Finding extends Pick<Violation, Reported> {
  /** In place of the check's default action. A policy's action overrides it; a floor still binds (actionOf). */
  readonly level?: Violation['action'] | 'Off';
  /** The remedy copies this handler. With a finding about it, `otherwise` replaces the remedy and its edits. */
  readonly copied?: { readonly probe: ProbeKind; readonly otherwise: string };
}

/** What to write instead. */
export type Advice = Pick<Finding, 'remedy' | 'edits' | 'copied'>;

type Found = readonly Finding[] | Finding | undefined;

interface CheckTraits {
  /** A violation means that the probe cannot work at all. Reports then show the category `Cannot work`. */
  readonly cannotWork?: true;
  /** A violation means that the probe succeeds while the application fails. No figure depends on such a probe. */
  readonly hidesFailures?: true;
  /** The rule follows from a port's name or number. Whoever aims a policy at the container knows the port better. */
  readonly judgesByName?: true;
  /** The check also reads plain init, ephemeral and mesh containers. */
  readonly everyContainer?: true;
  /** Probes that the rule also reads. When one of these is injected, the violation says so. */
  readonly relatedProbes?: readonly ProbeKind[];
  /** The check requires probes. A policy that removes a probe can therefore cause a violation. */
  readonly requiresProbes?: true;
  /** Its advice lets a failed start end later. So advice of others must not cause its findings. */
  readonly asksForTime?: true;
  /** A note about a default of the API server. Advice of other checks may write that default, and stays safe. */
  readonly notesDefault?: true;
  /** Drops a finding about a liveness delay from which an injected startup probe was made. */
  readonly acceptsDelayOfInjectedStartup?: true;
  /** A finding at a handler says nothing against the handler, so other findings may still advise to copy it. */
  readonly acceptsHandler?: true;
  /** The rule needs only numbers, paths and commands, so it also judges a policy alone (policy-advice.ts). */
  readonly judgesProbeAlone?: true;
  readonly handlers?: readonly HandlerKind[];
}

/** One check of the catalogue (docs/checks.md). */
export interface Check extends CheckDefinition, CheckTraits {
  /** @param parameters values for this check, as a CheckPolicy holds them */
  readonly run: (container: Container, parameters: ParameterValues, workload: CheckedWorkload) => readonly Finding[];
}

/** What a check does. It gets a value for each parameter: the value that policies set, else the default. */
interface CheckRule<Parameters, Kind extends HandlerKind> {
  /** Judges one probe. Called for each probe with one of the handlers and kinds. */
  readonly eachProbe?: (probe: ProbeWith<Kind>, parameters: Parameters, workload: CheckedWorkload) => Found;
  /** The rule is about these handlers; a container without such a probe is skipped. Undefined for all. */
  readonly handlers?: readonly Kind[];
  /** The kinds of probes that `eachProbe` judges. Undefined for all. */
  readonly kinds?: readonly ProbeKind[];
  /** Judges the container, in place of `eachProbe`. */
  readonly run?: (container: Container, parameters: Parameters, workload: CheckedWorkload) => Found;
  /** `eachProbe` needs the whole command. With a floor, a command that is too long to be read is a violation. */
  readonly readsCommand?: true;
}

/** Most findings of a check about one probe: lists of headers or words may have thousands of elements. */
export const MOST_PROBE_FINDINGS = 100;

/** Makes a check. */
export function defineCheck<
  const Parameters extends CheckParameters = Record<string, never>,
  const Kind extends HandlerKind = HandlerKind,
>({
  eachProbe,
  kinds,
  run,
  readsCommand,
  ...definition
}: Omit<CheckDefinition, 'parameters'> &
  Omit<CheckTraits, 'handlers'> &
  CheckRule<ValuesOf<Parameters>, Kind> & { readonly parameters?: Parameters }): Check {
  const handlers: readonly HandlerKind[] | undefined = definition.handlers;
  const ofProbes: typeof run = ({ probes }, parameters, workload) => {
    let findings: Finding[] | undefined;
    for (const probe of probes) {
      if (handlers?.includes(probe.handler.kind) === false || kinds?.includes(probe.kind) === false) continue;
      const found = eachProbe?.(probe as ProbeWith<Kind>, parameters, workload);
      const list = listOf(found);
      if (list.length > 0) (findings ??= []).push(...list.slice(0, MOST_PROBE_FINDINGS));
      if (readsCommand && !probe.command.isWhole) (findings ??= []).push(unreadCommand(probe));
    }
    return findings;
  };
  const judge = run ?? ofProbes;
  return {
    parameters: {},
    ...definition,
    // The policy parser and the layers build the values from these parameters. No type can express this for all checks
    // at once.
    run: (container, values, workload) => listOf(judge(container, values as ValuesOf<Parameters>, workload)),
  };
}

/** Almost every question finds nothing. */
const NOTHING: readonly Finding[] = [];

function listOf(found: Found): readonly Finding[] {
  if (found === undefined) return NOTHING;
  return isList(found) ? found : [found];
}

const isList: (found: readonly Finding[] | Finding) => found is readonly Finding[] = Array.isArray;

/** The probe that a finding is about, and the path of a field in it. */
export function located(
  probe: Probe,
  ...steps: readonly (string | number)[]
): Required<Pick<Finding, 'probe' | 'path'>> {
  return { probe: probe.kind, path: probe.place.path(...steps) };
}

/** Says that a rule cannot tell whether a command violates it: one finding for all rules. */
export function unreadCommand(probe: Probe): Finding {
  const { kind, container } = probe;
  return unread(located(probe, 'exec', 'command'), `the command of the ${kind} of ${containerPhrase(container)}`);
}

export function unread(place: Pick<Finding, 'probe' | 'path'>, what: string): Finding {
  const message = `${what} is too long to be checked`;
  return { ...place, message, remedy: 'write it into a file of the image', isUnread: true };
}

/** Longest container name that the API server accepts, with its quotes. */
const MOST_NAME_CHARACTERS = 65;

/** Formats `container "app"`, the form that every message uses. */
export function containerPhrase(container: Container): string {
  return `container ${quote(container.name, MOST_NAME_CHARACTERS)}`;
}

/** Most characters of a value in a message, with its quotes. A message has at most 200 characters in all. */
const MOST_VALUE_CHARACTERS = 40;

/** Quotes a value from the object for a message. */
export function quotedValue(text: string): string {
  return quote(text, MOST_VALUE_CHARACTERS);
}

const MOST_WORDS = 3;

/** Joins the first words, and counts the others: `a, b, c and 4 more`. */
export function firstListed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  if (words.length <= MOST_WORDS + 1) return listed(words, conjunction);
  return listed([...words.slice(0, MOST_WORDS), `${words.length - MOST_WORDS} more`]);
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Formats a JSON value as YAML on one line: `{ httpGet: { path: /live, port: http }, periodSeconds: 5 }`. */
export function yamlFlow(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !NOT_TEXT.test(value) ? value : jsonText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => `${yamlFlow(key)}: ${yamlFlow(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A text without quotes in YAML, unless YAML 1.1 reads it as another type. kubectl reads YAML 1.1. */
const PLAIN = /^[A-Za-z/][\w./-]*$/;
const NOT_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
