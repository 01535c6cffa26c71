import { resolve } from 'node:path';
import { stringMember } from '../probes/json.ts';
import { PolicySet } from '../policy/policy-set.ts';
import { readPolicyDocuments } from '../sources/policy-documents.ts';
import type { JsonObject } from '../probes/json.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { Manifest, ManifestText } from './manifests.ts';

/**
 * The policies of a policy directory and those among the manifests, with the labels of Namespaces, read as one set. A file that is given as
 * both counts once.
 */
export function policiesAmong(
  manifests: readonly Manifest[],
  policyTexts: readonly ManifestText[],
): { readonly set: PolicySet; readonly problems: readonly FileProblem[] } {
  const read = new Set(policyTexts.map(({ file }) => resolve(file)));
  const among = manifests.filter(({ object, document }) => isForPolicies(object) && !read.has(resolve(document.file)));
  const placed = among.map(({ document, object, path }) => ({ document, value: object, path }));
  const { policies, namespaceLabels, problems } = readPolicyDocuments(policyTexts, placed);
  return { set: new PolicySet(policies, namespaceLabels), problems };
}

function isForPolicies(object: JsonObject): boolean {
  const apiVersion = stringMember(object, 'apiVersion') ?? '';
  if (apiVersion.startsWith('probewright.dev/')) return true;
  return apiVersion === 'v1' && stringMember(object, 'kind') === 'Namespace';
}
