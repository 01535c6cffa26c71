import { formatSourceProblem } from '../cluster/sources/policy-source.ts';
import { OPT_OUT_LABEL, OPT_OUT_VALUE } from '../engine/policy/annotations.ts';
import type { DirectorySource } from '../cluster/sources/directory-source.ts';
import type { PolicySnapshot, PolicySource, SourceListener } from '../cluster/sources/policy-source.ts';
import type { PolicyOrigin, PolicyStore } from '../cluster/sources/policy-store.ts';
import type { Part } from './part.ts';
import type { Logger } from 'pino';

/** Of files the whole set counts, of a cluster each object. */
const POLICY_FAILURES: Readonly<Record<PolicyOrigin, string>> = {
  files: 'policy not usable, keeping the last good set',
  cluster: 'policy not usable, its last good version stays in force if there is one',
};

/** Puts what a source reports into force, and logs it. */
export function policyListener(origin: PolicyOrigin, store: PolicyStore, log: Logger): SourceListener {
  let policies: PolicySnapshot['policies'] | undefined;
  return {
    changed: (snapshot) => {
      store.replace(origin, snapshot);
      // Labels of namespaces change many times a minute in some clusters, and few policies look at them.
      if (snapshot.policies !== policies)
        log.info({ origin, policies: store.current?.policies.length }, 'policies changed');
      ({ policies } = snapshot);
    },
    failed: (problems) => {
      const message = POLICY_FAILURES[origin];
      for (const problem of problems) log.error({ origin, problem: formatSourceProblem(problem) }, message);
    },
    warned: (warnings) => {
      for (const warning of warnings)
        log.warn({ origin, warning: formatSourceProblem(warning) }, 'policy in force, with a warning');
    },
    troubled: (problem) => {
      if (problem === undefined) log.info({ origin }, 'the policy source is reachable again');
      else if (store.current === undefined) log.warn({ origin, problem }, 'the policy source cannot be reached yet');
      else log.warn({ origin, problem }, 'the policy source cannot be reached; the last known policies stay in force');
    },
  };
}

/** The part that reads policies from files, and follows their changes. */
export function filesPart(files: DirectorySource, store: PolicyStore, log: Logger): Part {
  return {
    start: async () => store.replace('files', await files.start(policyListener('files', store, log))),
    stop: () => files.stop(),
  };
}

export interface PolicySourcesStatus {
  readonly description: string;
  readonly problems: readonly string[];
  readonly problemCount: number;
  readonly troubles: readonly string[];
  /** When every source was known to be the newest; undefined before the first reading. */
  readonly lastSync: number | undefined;
}

/** The status of several sources as one. */
export function policySourcesStatus(sources: readonly PolicySource[]): PolicySourcesStatus {
  const each = sources.map((source) => source.status());
  const times = each.map(({ lastSync }) => lastSync);
  return {
    description: each.map(({ description }) => description).join(', '),
    problems: each.flatMap(({ problems }) => problems),
    problemCount: each.reduce((sum, { problems, problemCount = problems.length }) => sum + problemCount, 0),
    troubles: each.flatMap(({ troubles }) => troubles ?? []),
    lastSync: times.includes(undefined) ? undefined : Math.min(...times.filter((time) => time !== undefined)),
  };
}

export interface PoliciesState {
  readonly policiesInForce: number | undefined;
  readonly sources: PolicySourcesStatus;
  readonly overBudget: Readonly<Record<string, number>> | undefined;
}

/** The entry about policies in the answer of `/readyz`. */
export function policyDetails({
  policiesInForce,
  sources,
  overBudget,
}: PoliciesState): Readonly<Record<string, unknown>> {
  return {
    source: sources.description,
    inForce: policiesInForce ?? 0,
    lastSync: isoTimeOrNull(sources.lastSync),
    problems: sources.problems,
    problemCount: sources.problemCount,
    ...(overBudget !== undefined && { overBudget }),
    troubles: sources.troubles,
  };
}

/** An instant for `/readyz`: RFC 3339, or null for none. */
export function isoTimeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

/** The namespaces that the chart always exempts, besides Probewright's own. */
const EXEMPT_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];

/**
 * Tells whether the API server never sends objects of a namespace to the webhooks.
 *
 * @param names the value of --exempt-namespaces; undefined = the chart's namespaces and `ownNamespace`
 */
export function exemptNamespaces(
  names: readonly string[] | undefined,
  ownNamespace: string,
  store: Pick<PolicyStore, 'current'>,
): (namespace: string) => boolean {
  const exempt = new Set(names ?? [...EXEMPT_NAMESPACES, ownNamespace]);
  return (namespace) =>
    exempt.has(namespace) || store.current?.facts.namespaceLabels.get(namespace)?.get(OPT_OUT_LABEL) === OPT_OUT_VALUE;
}
