import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { parseProbePolicy } from '../../../src/engine/policy/read-policy.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { clusterPolicyDocument, policyDocument } from '../../support/worlds.ts';

/** What is wrong with a policy, line by line. */
export function policyProblems(document: unknown): string[] {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
  return parsed.problems !== undefined ? parsed.problems.map(formatProblem) : [];
}

/** What is wrong with the spec of a ProbePolicy. */
export const specProblems = (spec: unknown): string[] => policyProblems(policyDocument(spec));

/** What is wrong with the spec of a ClusterProbePolicy. */
export const clusterSpecProblems = (spec: unknown): string[] => policyProblems(clusterPolicyDocument(spec));
