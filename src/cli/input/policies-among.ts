import { Snapshot } from '../../engine/facts/snapshot.ts';
import { isJsonObject, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { factKindOf } from '../../cluster/sources/fact-kinds.ts';
import { readPolicyDocuments, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { YamlDocument } from '../../yaml/reading/documents.ts';
import type { FilePlace } from '../output/json-outputs.ts';
import { nameOf, problemsOfDocuments, type Manifest, type ManifestText } from './manifest.ts';

interface PoliciesAmong {
  readonly set: Snapshot;
  readonly places: PolicyPlaces;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

export interface PolicySettings {
  readonly namespace: string;
  /** Two names with one identity are one file. Default: the name, because texts in memory have no paths. */
  readonly fileIdentity?: (file: string) => string;
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
  { namespace, fileIdentity = (file) => file }: PolicySettings = { namespace: 'default' },
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

const POLICY_API_GROUP = 'probewright.dev/';

function isForPolicies(object: JsonObject): boolean {
  const apiVersion = stringMember(object, 'apiVersion') ?? '';
  if (apiVersion.startsWith(POLICY_API_GROUP)) return true;
  const kind = stringMember(object, 'kind');
  // A Namespace without a name, such as a patch or an assertion of a test, gives no labels to a namespace.
  return (
    (apiVersion === 'v1' && kind === 'Namespace' && nameOf(object) !== '') || factKindOf(apiVersion, kind) !== undefined
  );
}

/** The problems in documents that may be policies. */
export function policyProblemsIn(text: string, problems: readonly FileProblem[]): readonly FileProblem[] {
  return problemsOfDocuments(text, problems, (line) => line.includes(`${POLICY_API_GROUP}v`));
}

/** Where the policies of the inputs are written, by the policy's source: `ProbePolicy/apps/web`. */
export class PolicyPlaces {
  readonly #places = new Map<string, { readonly document: YamlDocument; readonly path: FieldPath }>();

  add(source: string, document: YamlDocument, path: FieldPath): void {
    this.#places.set(source, { document, path });
  }

  /**
   * The place of a field in a policy, or of the nearest field around it. Undefined for a policy that is not among the
   * inputs.
   *
   * @param field the path in the policy's object; [] is the policy itself
   */
  find(source: string, field: FieldPath = []): FilePlace | undefined {
    const place = this.#places.get(source);
    if (place === undefined) return undefined;
    const { document, path } = place;
    const policy = path.reduce(memberAt, document.value);
    return { file: document.file, ...document.position([...path, ...asWritten(policy, field)], { key: true }) };
  }
}

/** A probe may be written in `kubernetesProbeEndpoints` alone, which is the short form of its HTTP path. */
function asWritten(policy: unknown, field: FieldPath): FieldPath {
  const [spec, probes, kind, handler, part] = field;
  if (spec === undefined || probes !== 'probes' || kind === undefined) return field;
  const isPath = handler === 'httpGet' && (part === undefined || part === 'path');
  const longForm = isPath ? field : [spec, probes, kind];
  const shortForm = [spec, 'kubernetesProbeEndpoints', kind];
  const isShort = longForm.reduce(memberAt, policy) === undefined && shortForm.reduce(memberAt, policy) !== undefined;
  return isShort ? shortForm : field;
}

function memberAt(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[])[Number(step)];
  return isJsonObject(value) ? member(value, String(step)) : undefined;
}
