import {
  ClusterPolicies,
  electionPart,
  openClusterConnection,
  type ElectionPartDependencies,
} from '../process/cluster.ts';
import { exemptNamespaces } from '../process/policies.ts';
import { policyImpact, type ImpactDependencies } from './policy-effect/policy-impact.ts';
import { VERSION } from '../base/version.ts';
import type { LeaderElection } from '../cluster/client/leader-election.ts';
import type { Logger } from 'pino';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { ClusterConfig, ServeConfig, ServeConnection } from './config.ts';
import type { PolicyEffect, ReviewDependencies } from './http/review-endpoint.ts';

/** The parts that speak to a cluster. Serving depends on none of them once the first state is known. */
export interface ClusterParts {
  readonly connection: ServeConnection;
  readonly policies: ClusterPolicies;
  readonly election: LeaderElection;
  readonly forReviews: Pick<ReviewDependencies, 'exceptionMatched' | 'namespaceKnown' | 'policyEffect'>;
}

type EffectConfig = Pick<ServeConfig, 'enforcement' | 'mutation' | 'clientCa'>;

/** Builds the parts; nothing is started. Rejects as openClusterConnection does. */
export async function buildClusterParts(
  config: ClusterConfig,
  serving: EffectConfig,
  store: PolicyStore,
  dependencies: Omit<ElectionPartDependencies, 'leaderWrites'> & Pick<ImpactDependencies, 'kinds' | 'ended'>,
): Promise<ClusterParts> {
  const connection = await openClusterConnection(config, `probewright/${VERSION}`);
  const policies = new ClusterPolicies(connection, store, { ...dependencies, writesStatuses: true });
  const election = electionPart(connection, { ...dependencies, leaderWrites: 'statuses, CA and caBundle' });
  return {
    connection,
    policies,
    election,
    forReviews: {
      exceptionMatched: (namespace, name) => policies.exceptionStatuses?.matched(namespace, name, dependencies.now()),
      namespaceKnown: (namespace, client) => policies.source.namespaceKnown(namespace, client),
      policyEffect: policyEffect(connection, store, serving, dependencies),
    },
  };
}

/** The function that computes the effects of policies. Undefined when the settings turn the effects off. */
export function policyEffect(
  { client, config, namespace }: Pick<ServeConnection, 'client' | 'config' | 'namespace'>,
  store: PolicyStore,
  { enforcement, mutation, clientCa }: EffectConfig,
  inputs: Pick<ImpactDependencies, 'kinds' | 'ended' | 'now' | 'monotonic'> & { readonly log: Pick<Logger, 'info'> },
): PolicyEffect | undefined {
  if (!config.policyImpact) return undefined;
  return policyImpact({
    ...inputs,
    client,
    rung: { enforcement, mutation },
    // Without client certificates, every Pod that reaches the port may ask about every namespace.
    namesWorkloads: clientCa !== undefined,
    isExempt: exemptNamespaces(config.exemptNamespaces, namespace, store),
    snapshots: (reviewed) => {
      const after =
        reviewed.kind === 'exception'
          ? store.previewException(reviewed.namespace, reviewed.source, reviewed.applied)
          : store.preview(reviewed.source, reviewed.applied);
      const before = store.current;
      return before === undefined || after === undefined ? undefined : { before, after };
    },
    leftOut: (resource) => {
      inputs.log.info({ resource }, 'the effects of policies leave out a kind that is not configured');
    },
  });
}
