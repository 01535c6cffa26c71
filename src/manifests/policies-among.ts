import { resolve } from 'node:path';
import { stringMember } from '../json/json-value.ts';
import { Snapshot } from '../facts/snapshot.ts';
import { factKindOf } from '../sources/fact-kinds.ts';
import { readPolicyDocuments } from '../sources/policy-documents.ts';
import { PolicyPlaces } from './policy-places.ts';
import type { CheckCatalogue } from '../policy/check-catalogue.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { Manifest } from './manifest.ts';
import type { ManifestText } from './manifest-text.ts';

/** Policies of inputs, and where each of them is written. */
export interface PoliciesAmong {
  readonly set: Snapshot;
  readonly places: PolicyPlaces;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

/**
 * The policies of `--policies` and the policies among the manifests, with the labels of Namespaces, as one set. A file
 * that is given as both is read once.
 *
 * @param otherPolicyTexts policies that the caller reads as another set; they do not count among the manifests
 * @param namespace the namespace of facts that name no namespace
 */
export function policiesAmong(
  catalogue: CheckCatalogue,
  manifests: readonly Manifest[],
  policyTexts: readonly ManifestText[],
  otherPolicyTexts: readonly ManifestText[] = [],
  namespace = 'default',
): PoliciesAmong {
  const read = new Set([...policyTexts, ...otherPolicyTexts].map(({ file }) => resolve(file)));
  const among = manifests.filter(({ object, document }) => isForPolicies(object) && !read.has(resolve(document.file)));
  const placed = among.map(({ document, object, path }) => ({ document, value: object, path }));
  const places = new PolicyPlaces();
  const { policies, facts, problems, warnings } = readPolicyDocuments(
    catalogue,
    policyTexts,
    placed,
    (policy, document, path) => places.add(policy.source, document, path),
    namespace,
  );
  return { set: Snapshot.of(catalogue, policies, facts), places, problems, warnings };
}

/** How the apiVersion of a policy begins. */
export const POLICY_API_GROUP = 'probewright.dev/';

function isForPolicies(object: JsonObject): boolean {
  const apiVersion = stringMember(object, 'apiVersion') ?? '';
  if (apiVersion.startsWith(POLICY_API_GROUP)) return true;
  const kind = stringMember(object, 'kind');
  return (apiVersion === 'v1' && kind === 'Namespace') || factKindOf(apiVersion, kind) !== undefined;
}
