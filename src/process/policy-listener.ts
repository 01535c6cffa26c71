import { formatSourceProblem, type PolicySnapshot, type SourceListener } from '../cluster/sources/policy-source.ts';
import type { Logger } from 'pino';
import type { DirectorySource } from '../cluster/sources/directory-source.ts';
import type { PolicyOrigin, PolicyStore } from '../cluster/sources/policy-store.ts';
import type { Part } from './part.ts';

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
