import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { FACT_KINDS } from '../../cluster/sources/fact-kinds.ts';
import { PolicyCollection } from '../../cluster/sources/policy-documents.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { yamlFileParts } from '../../yaml/reading/documents.ts';
import { problemsOfDocuments } from './passed-over.ts';
import { nameOf, type Manifest, type ManifestText } from './manifest.ts';
import { NO_TEXTS, parsedTexts, type Manifests, type Parsing, type ReadTexts } from './manifests.ts';
import type { FileProblem, PolicyDocuments, PolicyPlaces } from '../../cluster/sources/policy-documents.ts';
import type { InjectionTier } from '../../engine/policy/injection-tier.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

/** What verdicts depend on beside the objects that are judged. */
export interface World {
  /** True when the objects are those of a cluster. They have a place without lines: `cluster:shop/pod/web`. */
  readonly isFromCluster: boolean;
  /** The policies and facts in force. */
  readonly snapshot: Snapshot;
  /** The policies that are to be applied over the others, alone. */
  readonly applied: Snapshot;
  /** Where policies are written. */
  readonly places: PolicyPlaces;
  /** The problems by which a policy is missing. They are among the problems of the manifests, too. */
  readonly policyProblems: readonly FileProblem[];
  readonly kinds: readonly WorkloadKind[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** The release of Kubernetes that the manifests are for. Undefined: the newest. */
  readonly kubernetesVersion?: string | undefined;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** What injects. Undefined: nobody has said so, and policies give what the webhook gives. */
  readonly tier?: InjectionTier | undefined;
}

interface Settings extends Pick<World, 'kinds' | 'namespace' | 'now' | 'kubernetesVersion'>, Parsing {
  /** Two names with one identity are one file. Default: the name, because texts in memory have no paths. */
  readonly fileIdentity?: (file: string) => string;
}

/**
 * The manifests and the world of texts that have been read. Policies and Namespaces may be among the manifests. A file
 * that is given as a manifest and as policies is read once.
 *
 * @param appliedTexts the policies that are to be applied over the others
 */
export function worldOf(
  manifestTexts: ReadTexts,
  policyTexts: ReadTexts,
  settings: Settings,
  appliedTexts: ReadTexts = NO_TEXTS,
): { readonly manifests: Manifests; readonly world: World } {
  const { kinds, namespace, now, kubernetesVersion, fileIdentity = (file: string) => file } = settings;
  const texts = parsedTexts(manifestTexts.texts, settings);
  const ofPolicies = [policyTexts, appliedTexts];
  const read = new Set(ofPolicies.flatMap((each) => each.texts.map(({ file }) => fileIdentity(file))));
  const others = texts.filter(({ file }) => !read.has(fileIdentity(file)));
  const among = others.flatMap(({ manifests }) => manifests.filter(({ object }) => isForPolicies(object)));
  const places: PolicyPlaces = new Map();
  const policies = readPolicyDocuments(policyTexts.texts, among, namespace, places);
  const applied = readPolicyDocuments(appliedTexts.texts, [], namespace, places);
  const unreadable = ofPolicies.flatMap(({ problems }) => problems);
  const unusable = [...policies.problems, ...applied.problems];
  return {
    manifests: {
      ...manifestTexts,
      texts,
      problems: [...manifestTexts.problems, ...unreadable, ...texts.flatMap(({ problems }) => problems), ...unusable],
      warnings: [...(manifestTexts.warnings ?? []), ...warningsOf([...policies.warnings, ...applied.warnings])],
    },
    world: {
      isFromCluster: false,
      snapshot: snapshotOf(policies),
      applied: snapshotOf(applied),
      places,
      policyProblems: [
        ...unreadable,
        ...unusable,
        ...texts.flatMap(({ text, problems }) => policyProblemsIn(text, problems)),
      ],
      kinds,
      namespace,
      kubernetesVersion,
      now,
    },
  };
}

/**
 * Reads the policies and facts of texts, and of manifests that were parsed before.
 *
 * @param places gets the places of the policies. A document takes much more memory than its policies, so only short
 *   commands keep documents.
 */
export function readPolicyDocuments(
  texts: readonly Pick<ManifestText, 'file' | 'text'>[],
  manifests: readonly Manifest[] = [],
  namespace = 'default',
  places?: PolicyPlaces,
): PolicyDocuments {
  const collected = new PolicyCollection(namespace, places);
  for (const { file, text } of texts) {
    for (const part of yamlFileParts(file, text)) {
      collected.addPart(part);
      if (collected.isFull(file)) break;
    }
  }
  for (const { document, object, path } of manifests) collected.addDocument(document, object, path);
  return collected;
}

/** The policies of texts alone, as one tier. */
export function snapshotOf({ policies, facts }: PolicyDocuments): Snapshot {
  return Snapshot.of(CHECK_CATALOGUE, policies, facts);
}

/** Problems as warnings: `warning: ...`. */
export function warningsOf(problems: readonly FileProblem[]): FileProblem[] {
  return problems.map((problem) => ({ ...problem, message: `warning: ${problem.message}` }));
}

/** True for a policy, a fact, and a Namespace with a name: what verdicts on other objects depend on. */
export function isForPolicies(object: JsonObject): boolean {
  const apiVersion = stringMember(object, 'apiVersion') ?? '';
  if (apiVersion.startsWith(`${POLICY_GROUP}/`)) return true;
  const kind = stringMember(object, 'kind');
  // A Namespace without a name, such as a patch or an assertion of a test, gives no labels to a namespace.
  if (apiVersion === 'v1' && kind === 'Namespace') return nameOf(object) !== '';
  return FACT_KINDS.some((known) => known.kind === kind && known.apiVersion === apiVersion);
}

/** The problems in documents that may be policies. */
export function policyProblemsIn(text: string, problems: readonly FileProblem[]): readonly FileProblem[] {
  return problemsOfDocuments(text, problems, (line) => line.includes(`${POLICY_GROUP}/v`));
}
