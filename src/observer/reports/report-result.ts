import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { fullMessage, type AppliedException, type Violation } from '../../engine/checks/violation.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { PROBEWRIGHT } from '../../cluster/sources/observer-reports.ts';
import { isDeepStrictEqual } from 'node:util';
import { workloadKey, type NamedObject } from '../observed-workload.ts';
import type { PolicyLayer } from '../../engine/policy/probe-policy.ts';

export type ReportSeverity = 'critical' | 'high' | 'medium' | 'low' | 'info';
export type ReportOutcome = 'pass' | 'fail' | 'warn' | 'error' | 'skip';

/** One finding of a report, without what the writer of reports adds: source and time stamp. */
export interface ReportResult {
  /** The policy that set the action: `ProbePolicy/apps/static`. `probewright` for built-in behavior. */
  readonly policy: string;
  readonly rule: string;
  readonly category: string;
  readonly severity: ReportSeverity;
  readonly result: ReportOutcome;
  readonly scored: boolean;
  /** Without ages, counts and measured times: dashboards identify a finding by its message. */
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** The result about a violation. `stored`: how an object with it could be stored, if that is known. */
export function resultOfViolation(
  violation: Violation,
  layers: readonly PolicyLayer[],
  namespace: string,
  stored?: string,
): ReportResult {
  const { check, action, container, probe, template, path, policy, edits, exception } = violation;
  const excepting = exception && `ProbeException/${namespace}/${exception.name}`;
  const message = `${formatPath(path)}: ${fullMessage(violation)}`;
  const value = edits?.length === 1 ? edits[0]?.value : undefined;
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return {
    policy: excepting ?? policy?.source ?? settingLayer(layers, container, check),
    rule: check,
    category: categoryOf(check),
    severity: LEVELS_OF[action].severity,
    result: LEVELS_OF[action].result,
    scored: action === 'Deny',
    message: excepting === undefined ? message : `excepted by ${excepting}: ${message}`,
    properties: {
      container,
      ...(probe !== undefined && { probe }),
      ...(template !== undefined && { template }),
      action,
      ...(isScalar && { fix: String(value) }),
      ...(exception && exceptionProperties(exception, namespace)),
      ...(stored !== undefined && { stored }),
    },
  };
}

/** The category of a check in reports. A check that is off until a policy sets its action is a house rule. */
export function categoryOf(id: string): string {
  const check = CHECK_CATALOGUE[id];
  if (check?.action === 'Off') return 'House rules';
  return check?.cannotWork === true ? 'Cannot work' : 'Will hurt';
}

function exceptionProperties(
  { name, owner, ticket, expires }: AppliedException,
  namespace: string,
): Record<string, string> {
  return { exception: `${namespace}/${name}`, owner, ...(ticket !== undefined && { ticket }), expires };
}

/** The result about an annotation or another setting of the workload that cannot be read. */
export function resultOfWarning(warning: string): ReportResult {
  return {
    policy: PROBEWRIGHT,
    rule: 'annotation',
    category: 'Cannot be read',
    severity: 'medium',
    result: 'error',
    scored: false,
    message: warning,
    properties: {},
  };
}

/** A result about live Pods. Without a policy, Probewright itself is the reason. */
export function resultOfLive(
  kind: Pick<ReportResult, 'rule' | 'category' | 'severity'>,
  policy: string | undefined,
  message: string,
  properties: ReportResult['properties'],
): ReportResult {
  return { policy: policy ?? PROBEWRIGHT, ...kind, result: 'warn', scored: false, message, properties };
}

/** The highest layer that sets the action or the floor of a check for a container. `probewright` if no layer does. */
function settingLayer(layers: readonly PolicyLayer[], container: string, check: string): string {
  const layer = layers.findLast(({ checks, containers }) => {
    const settings = checks.get(check);
    if (settings?.action === undefined && settings?.floor === undefined) return false;
    return typeof containers === 'string' || containers.includes(container);
  });
  return layer?.source ?? PROBEWRIGHT;
}

/** The words of a scheduler count nodes, and change with each of them: a report keeps the first ones for a while. */
function withoutWords(results: readonly ReportResult[] = []): readonly ReportResult[] {
  return results.map((result) => ({ ...result, properties: { ...result.properties, words: '' } }));
}

const PRODUCERS = ['failing', 'missed'] as const;
type Producer = (typeof PRODUCERS)[number];

/** All results of a producer, by workload. A workload without results has no entry. */
type Results = ReadonlyMap<string, { readonly workload: NamedObject; readonly results: readonly ReportResult[] }>;

/** Findings about workloads that no check makes: missed Pods, probes that fail. */
export class ExtraResults {
  readonly #byProducer = new Map<Producer, Results>();
  #changed: (workload: NamedObject) => void = () => undefined;

  onChange(changed: (workload: NamedObject) => void): void {
    this.#changed = changed;
  }

  /** Replaces all results of a producer. A workload without results loses its old ones. */
  replace(producer: Producer, all: readonly (readonly [NamedObject, readonly ReportResult[]])[]): void {
    const before: Results = this.#byProducer.get(producer) ?? new Map();
    const found = all.filter(([, results]) => results.length > 0);
    const after: Results = new Map(found.map(([workload, results]) => [workloadKey(workload), { workload, results }]));
    this.#byProducer.set(producer, after);
    for (const [key, { workload }] of new Map([...before, ...after]))
      if (!isDeepStrictEqual(withoutWords(before.get(key)?.results), withoutWords(after.get(key)?.results)))
        this.#changed(workload);
  }

  of(workload: NamedObject): readonly ReportResult[] {
    const key = workloadKey(workload);
    return PRODUCERS.flatMap((producer) => this.#byProducer.get(producer)?.get(key)?.results ?? []);
  }
}
