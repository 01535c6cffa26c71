import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import type { FieldEdit, FieldPath } from '../../base/json/field-path.ts';
import type { CheckDefinition } from '../policy/check-catalogue.ts';
import type { CheckParameters, ParameterValues, ValuesOf } from '../policy/check-parameters.ts';
import type { HandlerKind, ProbeKind } from '../probe/probe.ts';
import type { CheckedContainer, CheckedProbe } from './checked-workload.ts';
import type { Violation } from './violation.ts';

/** A violation of one check, as the check reports it. */
export interface Finding {
  /** Absent when the violation is about the container as a whole. */
  readonly probe?: ProbeKind;
  /** Path of the field that causes the violation, in the object that the user applied. */
  readonly path: FieldPath;
  /** The problem, on one line of at most 200 characters. The path, the check's id and the remedy are not included. */
  readonly message: string;
  /** The field and value to write instead, on one line. Numbers are already computed. */
  readonly remedy?: string;
  /**
   * The remedy as edits of the object that the user applied, if values are known to work. The edits remove the finding
   * and cause no other finding, at any action (test/engine/checks/safe-advice.property.test.ts).
   */
  readonly edits?: readonly FieldEdit[];
  /**
   * Action of this finding, in place of the check's default action. For checks whose findings differ in weight. A
   * policy that sets the check's action overrides `level`. A floor is still the least strict action (run-checks.ts,
   * actionOf).
   */
  readonly level?: Violation['action'];
  /**
   * Set when the remedy copies the handler of a probe. If another finding is about that handler, these words replace
   * the remedy, and there are no edits (run-checks.ts): a copy of a handler that does not work keeps the Pod from
   * Ready.
   */
  readonly copied?: { readonly probe: ProbeKind; readonly otherwise: string };
  /**
   * Measured figures. They change from day to day, so they are no part of the message: tools recognise a finding by its
   * message.
   */
  readonly properties?: Readonly<Record<string, number>>;
  /** The API server's cause type, for valid-probe: `FieldValueInvalid`, `FieldValueRequired`, ... */
  readonly reason?: string;
}

/** Returns all violations of one container, in a fixed order. */
type Run<Parameters, Findings> = (container: CheckedContainer, parameters: Parameters) => Findings;

interface CheckTraits {
  /** A violation means that the probe cannot work at all. Reports then show the category `Cannot work`. */
  readonly cannotWork: boolean;
  /** The check also reads plain init, ephemeral and mesh containers. */
  readonly everyContainer: boolean;
  /**
   * Probes that the rule reads in addition to the probe that a finding names. When one of these probes is injected, the
   * violation says so.
   */
  readonly relatedProbes: readonly ProbeKind[];
  /** The check requires probes. A policy that removes a probe can therefore cause a violation. */
  readonly requiresProbes: boolean;
  /**
   * A finding about a liveness probe is dropped if the injected startup probe was made because of the liveness probe's
   * initialDelaySeconds.
   */
  readonly acceptsDelayOfInjectedStartup: boolean;
  /** A finding at a handler says nothing against the handler, so other findings may still advise to copy it. */
  readonly acceptsHandler: boolean;
  /**
   * The rule needs nothing but the numbers, paths and commands of a container's probes. Such a check also judges a
   * policy alone, on a model Pod (src/engine/verdict/policy-advice.ts).
   */
  readonly judgesProbeAlone: boolean;
  /**
   * The kinds of handlers that the rule is about. The check does not run on a container without such a probe. Undefined
   * for a check that runs on every container.
   */
  readonly handlers: readonly HandlerKind[] | undefined;
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
  Partial<CheckTraits> &
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
    cannotWork: false,
    everyContainer: false,
    relatedProbes: [],
    requiresProbes: false,
    acceptsDelayOfInjectedStartup: false,
    acceptsHandler: false,
    judgesProbeAlone: false,
    handlers: undefined,
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

/** Returns a finding without some of its members. */
export function without<T extends object>(whole: T, ...members: readonly (keyof T)[]): T {
  const copy = { ...whole };
  for (const name of members) Reflect.deleteProperty(copy, name);
  return copy;
}

/**
 * Highest number of findings that a check reports about one probe. A list of headers or words may have thousands of
 * elements, too many to read.
 */
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
    const headers = probe.handlerKind === 'httpGet' ? member(probe.handler, 'httpHeaders') : undefined;
    if (!Array.isArray(headers)) return [];
    const findings: Finding[] = [];
    for (const [index, header] of (headers as unknown[]).entries()) {
      if (findings.length === MOST_PROBE_FINDINGS) break;
      const value = isJsonObject(header) ? stringMember(header, 'value') : undefined;
      if (!isJsonObject(header) || value === undefined) continue;
      const finding = violationOf(probe, { name: stringMember(header, 'name') ?? '', value, index });
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  });
}
