import { PolicyImpact } from './policy-effect/policy-impact.ts';
import { exemptNamespaces } from '../process/policies.ts';
import type { Logger } from 'pino';
import type { Metrics } from './http/metrics.ts';
import type { PolicyEffect } from './http/review-endpoint.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { WorkloadKind } from '../engine/workload/kinds.ts';
import type { ServeConfig, ServeConnection } from './config.ts';

/** The inputs for computing the effect of policies. */
export interface PolicyEffectInputs {
  readonly connection: ServeConnection;
  readonly store: PolicyStore;
  readonly kinds: readonly WorkloadKind[];
}

/** Where missing rights are logged, and the clocks, in milliseconds. */
interface EffectSurroundings {
  readonly log: Pick<Logger, 'info'>;
  /** The wall clock, since the epoch. */
  readonly now: () => number;
  /** Never goes back. */
  readonly monotonic: () => number;
}

/** Builds the function that computes the effects of policies. Undefined when the settings turn the effects off. */
export function policyEffect(
  { connection, store, kinds }: PolicyEffectInputs,
  { enforcement, mutation, clientCa }: Pick<ServeConfig, 'enforcement' | 'mutation' | 'clientCa'>,
  metrics: Metrics,
  { log, now, monotonic }: EffectSurroundings,
): PolicyEffect | undefined {
  const { client, config, namespace } = connection;
  if (!config.policyImpact) return undefined;
  const impact = new PolicyImpact({
    client,
    kinds,
    behaviour: { injects: mutation === 'On', strictest: enforcement },
    // Without client certificates, every Pod that reaches the port may ask about every namespace.
    namesWorkloads: clientCa !== undefined,
    isExempt: exemptNamespaces(config.exemptNamespaces, namespace, store),
    snapshots: (reviewed) => {
      const { source } = reviewed;
      const after =
        'exception' in reviewed
          ? store.previewException(reviewed.namespace, source, reviewed.exception)
          : store.preview(source, reviewed.applied);
      const before = store.current;
      return before === undefined || after === undefined ? undefined : { before, after };
    },
    monotonic,
    now,
    ended: (result) => metrics.effectComputed(result),
    leftOut: (resource) => log.info({ resource }, 'the effects of policies leave out a kind that is not configured'),
  });
  return (reviewed, limits) => impact.warnings(reviewed, limits);
}
