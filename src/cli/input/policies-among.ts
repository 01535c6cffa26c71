import { stringMember } from '../../base/json/json-value.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { factKindOf } from '../../cluster/sources/fact-kinds.ts';
import { readPolicyDocuments } from '../../cluster/sources/policy-documents.ts';
import { PolicyPlaces } from './policy-places.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Manifest } from './manifest.ts';
import type { ManifestText } from './manifest-text.ts';

/** Policies of inputs, and where each of them is written. */
export interface PoliciesAmong {
  readonly set: Snapshot;
  readonly places: PolicyPlaces;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

/** Two names with one identity are one file. */
export type FileIdentity = (file: string) => string;

/** How policies are found among manifests. */
export interface PolicySettings {
  /** The namespace of facts that name no namespace. */
  readonly namespace?: string;
  /** Default: the name itself. */
  readonly fileIdentity?: FileIdentity;
}

/**
 * The policies of `--policies` and the policies among the manifests, with the labels of Namespaces, as one set. A file
 * that is given as both is read once.
 *
 * @param otherPolicyTexts policies that the caller reads as another set; they do not count among the manifests
 */
export function policiesAmong(
  catalogue: CheckCatalogue,
  manifests: readonly Manifest[],
  policyTexts: readonly ManifestText[],
  otherPolicyTexts: readonly ManifestText[] = [],
  { namespace = 'default', fileIdentity = (file) => file }: PolicySettings = {},
): PoliciesAmong {
  const read = new Set([...policyTexts, ...otherPolicyTexts].map(({ file }) => fileIdentity(file)));
  const among = manifests.filter(
    ({ object, document }) => isForPolicies(object) && !read.has(fileIdentity(document.file)),
  );
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
