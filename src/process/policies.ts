import { OPT_OUT_LABEL, OPT_OUT_VALUE } from '../engine/policy/annotations.ts';
import { EXEMPT_NAMESPACES } from '../engine/policy/policy-set.ts';
import type { DirectorySource } from '../cluster/sources/directory-source.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from '../cluster/sources/policy-source.ts';
import type { PolicyOrigin, PolicyStore } from '../cluster/sources/policy-store.ts';
import type { Part } from './part.ts';
import type { ProcessSources } from './process-metrics.ts';
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
      for (const problem of problems) log.error({ origin, problem }, message);
    },
    warned: (warnings) => {
      for (const warning of warnings) log.warn({ origin, warning }, 'policy in force, with a warning');
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

function statusOf(sources: readonly PolicySource[]): Required<SourceStatus> {
  const each = sources.map((source) => source.status());
  const times = each.map(({ lastSync }) => lastSync);
  return {
    description: each.map(({ description }) => description).join(', '),
    problems: each.flatMap(({ problems }) => problems),
    problemCount: each.reduce((sum, { problems, problemCount = problems.length }) => sum + problemCount, 0),
    troubles: each.flatMap(({ troubles }) => troubles ?? []),
    // When every source was known to be the newest.
    lastSync: times.includes(undefined) ? undefined : Math.min(...times.filter((time) => time !== undefined)),
  };
}

type InForce = Pick<PolicyStore, 'current'>;

/** The figures of policies for the metrics. */
export function policyFigures(
  store: InForce,
  sources: readonly PolicySource[],
): ReturnType<ProcessSources['policies']> {
  const { problemCount: problems, lastSync } = statusOf(sources);
  return { loaded: store.current?.policies.length ?? 0, problems, lastSync };
}

/** The entry about policies in the answer of `/readyz`. `overBudget` is undefined without a cluster. */
export function policyDetails(
  store: InForce,
  sources: readonly PolicySource[],
  overBudget: Readonly<Record<string, number>> | undefined,
): Readonly<Record<string, unknown>> {
  const { description, problems, problemCount, troubles, lastSync } = statusOf(sources);
  return {
    source: description,
    inForce: store.current?.policies.length ?? 0,
    lastSync: isoTimeOrNull(lastSync),
    problems,
    problemCount,
    ...(overBudget !== undefined && { overBudget }),
    troubles,
  };
}

/** An instant for `/readyz`: RFC 3339, or null for none. */
export function isoTimeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

/** Tells whether the webhooks exempt a namespace. `names` undefined = the chart's namespaces and `ownNamespace`. */
export function exemptNamespaces(
  names: readonly string[] | undefined,
  ownNamespace: string,
  store: InForce,
): (namespace: string) => boolean {
  const exempt = new Set(names ?? [...EXEMPT_NAMESPACES, ownNamespace]);
  return (namespace) =>
    exempt.has(namespace) || store.current?.facts.namespaceLabels.get(namespace)?.get(OPT_OUT_LABEL) === OPT_OUT_VALUE;
}
