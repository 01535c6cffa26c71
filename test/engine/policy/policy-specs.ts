import specs from '../../fixtures/engine/policy-specs.json' with { type: 'json' };

/** A spec that uses every field of the design. */
export const FULL_SPEC: object = specs.full;

/** Likewise, with what only a ClusterProbePolicy has. */
export const FULL_CLUSTER_SPEC: object = specs.fullCluster;

/** Specs of a ProbePolicy with one problem each, and what is said about it. */
export const REFUSED_SPECS = specs.refused as unknown as readonly (readonly [spec: object, problem: string])[];
