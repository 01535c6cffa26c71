import { fullMessage } from '../../engine/checks/violation.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { PROBEWRIGHT } from '../../cluster/sources/observer-reports.ts';
import { categoryOf } from './categories.ts';
import type { AppliedException, Violation } from '../../engine/checks/violation.ts';
import type { PolicyLayer } from '../../engine/policy/probe-policy.ts';
import type { ReportOutcome, ReportResult, ReportSeverity } from './report-result.ts';

const SEVERITIES: Readonly<Record<string, ReportSeverity>> = {
  Deny: 'high',
  Warn: 'medium',
  Audit: 'low',
  Excepted: 'info',
};
/** Only what the webhook would deny counts as failed. */
const OUTCOMES: Readonly<Record<string, ReportOutcome>> = {
  Deny: 'fail',
  Warn: 'warn',
  Audit: 'warn',
  Excepted: 'skip',
};

/** The result of a report about a violation. */
export function resultOfViolation(
  violation: Violation,
  layers: readonly PolicyLayer[],
  namespace: string,
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
    severity: SEVERITIES[action] ?? 'low',
    result: OUTCOMES[action] ?? 'warn',
    scored: action === 'Deny',
    message: excepting === undefined ? message : `excepted by ${excepting}: ${message}`,
    properties: {
      container,
      ...(probe !== undefined && { probe }),
      ...(template !== undefined && { template }),
      action,
      ...(isScalar && { fix: String(value) }),
      ...(exception && exceptionProperties(exception, namespace)),
    },
  };
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

/** The highest layer that sets the action or the floor of a check for a container. `probewright` if no layer does. */
function settingLayer(layers: readonly PolicyLayer[], container: string, check: string): string {
  const layer = layers.findLast(({ checks, containers }) => {
    const settings = checks.get(check);
    if (settings?.action === undefined && settings?.floor === undefined) return false;
    return typeof containers === 'string' || containers.includes(container);
  });
  return layer?.source ?? PROBEWRIGHT;
}
