import { manifestsOf, nameOf, problemsOfDocuments } from './manifest.ts';
import type { Manifest, ManifestText, ParsedText } from './manifest.ts';
import { foundText, type PassedOver, type Unread } from './passed-over.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { PolicyCollection } from '../../cluster/sources/policy-documents.ts';
import type { FileProblem, PolicyDocuments, PolicyPlaces } from '../../cluster/sources/policy-documents.ts';
import { yamlFileParts } from '../../yaml/reading/documents.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { FACT_KINDS } from '../../cluster/sources/fact-kinds.ts';
import { REPORT_APIS, type ReportOfWorkload } from '../../cluster/sources/observer-reports.ts';
import { workloadKindOfManifest, type WorkloadKind } from '../../engine/workload/kinds.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { Outline } from '../../yaml/reading/outline.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { ClusterWebhook } from '../../observer/missed/cluster-webhook.ts';
import type { ExemptNamespace, FilePlace } from '../output/json-outputs.ts';

export interface Inputs extends Unread {
  /** True when the texts are objects of a cluster. Such objects have a place without lines: `cluster:shop/pod/web`. */
  readonly isFromCluster: boolean;
  readonly texts: readonly ParsedText[];
  /** Objects of a cluster beside its workloads, as the snapshot of a cluster needs them. */
  readonly others?: readonly JsonObject[];
  /** The webhook of a cluster, for commands that ask for it. */
  readonly webhook?: ClusterWebhook;
  /** The cluster, for one look at its Pods. Present with the webhook. */
  readonly live?: LiveCluster;
  /** True when a cluster has workloads of the namespaces beside the texts: only some were asked for, or may be read. */
  readonly isPartial?: boolean;
  /** Workloads of a cluster that were left out, because the webhook never sees them. */
  readonly exempt?: readonly ExemptNamespace[];
  /** The reports of an observer about live Pods of a cluster. In files, reports are among the manifests. */
  readonly observed?: readonly ReportOfWorkload[];
  readonly policies: Snapshot;
  /** The policies that are to be applied over the others, alone. */
  readonly newPolicies: Snapshot;
  readonly policyPlaces: PolicyPlaces;
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
  /** The release of Kubernetes that the manifests are for. Undefined: the newest. */
  readonly kubernetesVersion?: string | undefined;
  readonly now: number;
  readonly problems: readonly FileProblem[];
  /** Those of the problems by which a policy is missing. */
  readonly policyProblems: readonly FileProblem[];
  /** Parts of policies that are in force and probably not meant, such as an empty probe. Charts that are left out. */
  readonly policyWarnings: readonly FileProblem[];
}

interface LiveCluster {
  readonly client: ApiClient;
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
  /** True when the command line names workloads. */
  readonly isNamed: boolean;
}

/** Texts that were read, and what could not be read. One does not keep the other from being used. */
export interface ReadTexts extends Unread {
  readonly texts: readonly ManifestText[];
  readonly problems: readonly FileProblem[];
  readonly warnings?: readonly FileProblem[];
}

export const NO_TEXTS: ReadTexts = { texts: [], problems: [] };

interface InputSettings extends Pick<Inputs, 'kinds' | 'namespace' | 'now' | 'kubernetesVersion'> {
  /** Two names with one identity are one file. Default: the name, because texts in memory have no paths. */
  readonly fileIdentity?: (file: string) => string;
  /** Is called now and then while manifests are read. */
  readonly onRead?: (files: number, workloads: number) => void;
  /** Documents of kinds that nothing reads are not parsed: their objects have an `apiVersion` and a `kind` only. */
  readonly skipsOtherKinds?: boolean;
}

/**
 * The inputs in texts that have been read. Policies and Namespaces may be among the manifests. A file that is given as
 * a manifest and as policies is read once.
 *
 * @param newPolicyTexts the policies that are to be applied over the others
 */
export function inputsOf(
  manifestTexts: ReadTexts,
  policyTexts: ReadTexts,
  settings: InputSettings,
  newPolicyTexts: ReadTexts = NO_TEXTS,
): Inputs {
  const { kinds, namespace, now, kubernetesVersion, fileIdentity = (file: string) => file } = settings;
  const parsed = parsedTexts(manifestTexts.texts, settings);
  const ofPolicies = [policyTexts, newPolicyTexts];
  const read = new Set(ofPolicies.flatMap(({ texts }) => texts.map(({ file }) => fileIdentity(file))));
  const among = parsed
    .flatMap(({ manifests }) => manifests)
    .filter(({ object, document }) => isForPolicies(object) && !read.has(fileIdentity(document.file)));
  const policyPlaces: PolicyPlaces = new Map();
  const policies = readPolicyDocuments(policyTexts.texts, among, namespace, policyPlaces);
  const newPolicies = readPolicyDocuments(newPolicyTexts.texts, [], namespace, policyPlaces);
  const unreadable = ofPolicies.flatMap(({ problems }) => problems);
  const unusable = [...policies.problems, ...newPolicies.problems];
  return {
    isFromCluster: false,
    kinds,
    namespace,
    kubernetesVersion,
    now,
    texts: parsed,
    policies: snapshotOf(policies),
    newPolicies: snapshotOf(newPolicies),
    policyPlaces,
    passedOver: [...(manifestTexts.passedOver ?? []), ...parsed.flatMap(({ passedOver }) => passedOver)],
    notes: manifestTexts.notes ?? [],
    unchecked: manifestTexts.unchecked ?? [],
    problems: [...manifestTexts.problems, ...unreadable, ...parsed.flatMap(({ problems }) => problems), ...unusable],
    policyProblems: [
      ...unreadable,
      ...unusable,
      ...parsed.flatMap(({ text, problems }) => policyProblemsIn(text, problems)),
    ],
    policyWarnings: [...(manifestTexts.warnings ?? []), ...warningsOf([...policies.warnings, ...newPolicies.warnings])],
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

type ParsedInput = ParsedText & Pick<ReadTexts, 'problems'> & { readonly passedOver: readonly PassedOver[] };

function parsedTexts(texts: readonly ManifestText[], settings: InputSettings): ParsedInput[] {
  const { kinds, onRead, skipsOtherKinds = false } = settings;
  const isUnread = skipsOtherKinds ? (outline: Outline): boolean => !isOfReadKind(outline, kinds) : undefined;
  let workloads = 0;
  return texts.map((text, index) => {
    const read = manifestsOf(text, {
      isUnread,
      onProgress: () => onRead?.(index, workloads),
      onManifests: (found) => {
        for (const { object } of found) if (workloadKindOfManifest(object, kinds) !== undefined) workloads += 1;
      },
    });
    if (text.isFound !== true) return { ...text, ...read, passedOver: [] };
    const { file } = text;
    const objects = read.manifests.map(({ object }) => object);
    const { reason, isManifest, problems } = foundText(text.text, objects, read.problems);
    // `fix --output-dir` writes a file that is no manifest as it is.
    const manifests = isManifest ? read.manifests : [];
    return { ...text, manifests, problems, passedOver: reason === undefined ? [] : [{ file, reason }] };
  });
}

const POLICY_API_GROUP = 'probewright.dev/';

/** The kinds beside workloads that a command reads, in any version. */
const OTHER_KINDS: ReadonlySet<string> = new Set(
  [...FACT_KINDS, ...REPORT_APIS, { kind: 'Namespace' }].map(({ kind }) => kind),
);

/** True for a document that a command may have to read: a workload, a policy, a fact, a report, or a list of these. */
export function isOfReadKind({ apiVersion = '', kind }: Outline, kinds: readonly WorkloadKind[]): boolean {
  if (apiVersion.startsWith(POLICY_API_GROUP)) return true;
  if (kind === undefined) return false;
  return kind.endsWith('List') || OTHER_KINDS.has(kind) || kinds.some((known) => known.kind === kind);
}

function isForPolicies(object: JsonObject): boolean {
  const apiVersion = stringMember(object, 'apiVersion') ?? '';
  if (apiVersion.startsWith(POLICY_API_GROUP)) return true;
  const kind = stringMember(object, 'kind');
  // A Namespace without a name, such as a patch or an assertion of a test, gives no labels to a namespace.
  if (apiVersion === 'v1' && kind === 'Namespace') return nameOf(object) !== '';
  return FACT_KINDS.some((known) => known.kind === kind && known.apiVersion === apiVersion);
}

/** The problems in documents that may be policies. */
export function policyProblemsIn(text: string, problems: readonly FileProblem[]): readonly FileProblem[] {
  return problemsOfDocuments(text, problems, (line) => line.includes(`${POLICY_API_GROUP}v`));
}

/**
 * The place of a field in a policy, or of the nearest field around it. Undefined for a policy that is not among the
 * inputs.
 *
 * @param source the policy: `ProbePolicy/apps/web`
 * @param field the path in the policy's object; [] is the policy itself
 */
export function placeOfPolicy({ policyPlaces }: Inputs, source: string, field: FieldPath): FilePlace | undefined {
  const place = policyPlaces.get(source);
  return place && { file: place.document.file, ...place.document.position([...place.path, ...field], { key: true }) };
}
