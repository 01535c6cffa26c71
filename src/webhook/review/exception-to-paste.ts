import { formatInstant } from '../../base/text/duration.ts';
import { EXCEPTION_BOUNDS } from '../../engine/policy/bounds.ts';
import { yamlFlow } from '../../engine/checks/check.ts';
import { docsUrl } from '../../engine/checks/violation.ts';
import {
  DAY_MILLISECONDS,
  EXCEPTION_KIND,
  type ExceptionSpec,
  type NamedWorkload,
} from '../../engine/policy/probe-exception.ts';
import { isDnsSubdomain, POLICY_API_VERSION } from '../../engine/policy/object-names.ts';

/** The time for which the exception of a denial counts. Its owner may write another end. */
const DAYS = 30;

/**
 * The lines of a command that excepts the violations of a denial, ready to be pasted. Undefined for a workload that
 * no exception can name: it has a generated name.
 *
 * @param names the workload, and the controllers that it belongs to. The exception is for the last, which people apply
 * @param now the instant of the verdict, in milliseconds since the epoch
 */
export function exceptionToPaste(
  names: readonly NamedWorkload[],
  namespace: string,
  checks: readonly string[],
  now: number,
): readonly string[] | undefined {
  const workload = names.at(-1);
  if (workload === undefined || ![workload.name, namespace].every(isDnsSubdomain)) return undefined;
  const { kind, name } = workload;
  return [
    `If it cannot be corrected now, or is a rollback, write who answers and why: ${docsUrl('exceptions.md')}`,
    "kubectl apply -f - <<'EOF'",
    ...exceptionLines(name, namespace, {
      checks: [...new Set(checks)].slice(0, EXCEPTION_BOUNDS.checks.maximum),
      workloads: [{ kind, name }],
      owner: 'the team that answers',
      reason: 'why it cannot be corrected now',
      expires: formatInstant(Math.ceil(now / DAY_MILLISECONDS + DAYS) * DAY_MILLISECONDS),
    }),
    'EOF',
  ];
}

/** The lines of a ProbeException, as YAML. */
export function exceptionLines(
  name: string,
  namespace: string,
  spec: Partial<ExceptionSpec> & { readonly expires: string },
): readonly string[] {
  return [
    `apiVersion: ${POLICY_API_VERSION}`,
    `kind: ${EXCEPTION_KIND}`,
    `metadata: ${yamlFlow({ name, namespace })}`,
    'spec:',
    ...Object.entries(spec).map(([field, value]) => `  ${field}: ${yamlFlow(value)}`),
  ];
}
