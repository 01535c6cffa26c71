import { inParallel } from '../../cluster/client/in-parallel.ts';
import { mergedFacts } from '../../engine/facts/facts.ts';
import { readNamespaceLabels } from '../../engine/facts/namespace-labels.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { PolicySet, PolicyTier } from '../../engine/policy/policy-set.ts';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { readPolicyDocuments } from '../../cluster/sources/policy-documents.ts';
import { KNOWN_KINDS } from '../../engine/workload/custom-kinds.ts';
import { discoverKinds, MOST_REQUESTS_AT_ONCE, POLICY_GROUP } from '../../cluster/sources/cluster-kinds.ts';
import { wantedKinds } from './cluster-names.ts';
import { isOfController } from '../../cluster/sources/workload-lists.ts';
import { CLUSTER_PLACE, clusterText } from './cluster-object.ts';
import { ClusterReading } from './cluster-reading.ts';
import type { ReadableKind } from './cluster-reading.ts';
import { readPolicyTexts } from './manifest-texts.ts';
import { readObserverReports } from './cluster-reports.ts';
import { ClusterFacts } from './cluster-facts.ts';
import { policiesAmong } from './policies-among.ts';
import { PolicyPlaces } from './policy-places.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { Facts } from '../../engine/facts/facts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { LabelsOfNamespace } from '../../engine/facts/namespace-labels.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { ClusterName, WantedKind } from './cluster-names.ts';
import type { Inputs, OnRead, ParsedText } from './inputs.ts';
import type { PoliciesAmong } from './policies-among.ts';

/** A change of policies that is to be compared with the policies in force. */
export interface PolicyChangeFiles {
  /** A file or a directory with the policies that are to be applied. */
  readonly newPolicies: string | undefined;
}

/** The command line's inputs from a cluster. */
export interface ClusterInputOptions {
  /** The workloads to read. None = all. */
  readonly names: readonly ClusterName[];
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
  /** Policies in files: the lowest layer, below the policies of the cluster, as in `serve`. */
  readonly policies: string | undefined;
  /** With a change, policies in files replace the policies of the cluster. */
  readonly change?: PolicyChangeFiles | undefined;
  /** A file of custom kinds. Undefined = the known kinds. */
  readonly workloadKinds: string | undefined;
  /** The instant of all verdicts, in milliseconds since the epoch. */
  readonly now: number;
  /** Keeps policies, Namespaces and facts as objects too, for a snapshot. */
  readonly keepsObjects?: boolean | undefined;
  /** Reads what an observer has reported about live Pods. */
  readonly readsReports?: boolean | undefined;
}

/** Inputs from a cluster. */
export type ClusterInputs = Inputs & { readonly isFromCluster: true };

/**
 * Reads workloads, policies and labels of namespaces from a cluster. What cannot be read becomes a problem, and
 * everything else is returned.
 *
 * @param onRead is called with the numbers of lists that have been read and that are read
 * @throws when the API server cannot be reached or does not accept the credentials
 * @throws PolicyFilesError when the file of custom kinds cannot be used
 */
export async function readClusterInputs(
  catalogue: CheckCatalogue,
  client: ApiClient,
  options: ClusterInputOptions,
  onRead: OnRead = () => undefined,
): Promise<ClusterInputs> {
  const { names, namespace, policies, change, workloadKinds, now, keepsObjects = false } = options;
  const known = workloadKinds === undefined ? KNOWN_KINDS : await loadWorkloadKinds(workloadKinds);
  const { kinds, hasPolicies, problems: kindProblems } = await discoverKinds(client, known);
  const policyKinds = hasPolicies && !(change !== undefined && policies !== undefined) ? POLICY_KINDS : [];
  const { wanted, problems: nameProblems } = wantedKinds(names, kinds);
  const reading = new ClusterReading(client, namespace);
  const policyReading = new ClusterReading(client, namespace);
  const facts = new ClusterFacts(keepsObjects);
  const factSteps = facts.steps(catalogue, policyReading, hasPolicies);
  let done = 0;
  const steps: readonly (() => Promise<readonly ParsedText[]>)[] = [
    ...policyKinds.map((kind) => () => policiesOf(policyReading, kind)),
    ...factSteps.map((step) => async () => {
      await step();
      return [];
    }),
    ...wanted.flatMap((each) => workloadSteps(reading, each)),
  ];
  const read = await inParallel(steps, MOST_REQUESTS_AT_ONCE, async (step) => {
    const texts = await step();
    done += 1;
    onRead(done, steps.length);
    return texts;
  });
  const policyTexts = read.slice(0, policyKinds.length).flat();
  const texts = read.slice(policyKinds.length).flat();
  const inForce = await policiesInForce(catalogue, policies, policyTexts);
  const applied = await newPoliciesOf(catalogue, change?.newPolicies);
  const observed = options.readsReports === true ? await readObserverReports(client, policyReading) : [];
  const readsLabels = keepsObjects || inForce.looksAtNamespaceLabels || applied.set.looksAtNamespaceLabels;
  const labels = readsLabels ? await labelsOfNamespaces(policyReading, namespace) : new Map();
  const policyProblems = [
    ...policyReading.problems.map(clusterProblem),
    ...facts.problems,
    ...inForce.problems,
    ...applied.problems,
  ];
  const problems = [...kindProblems, ...nameProblems, ...reading.problems].map(clusterProblem);
  return {
    isFromCluster: true,
    ...(keepsObjects && { others: [...objectsOf(policyTexts), ...facts.objects, ...namespaceObjects(labels)] }),
    ...(options.readsReports === true && { observed }),
    texts: texts.toSorted(byNamespace),
    policies: inForce.snapshot(labels, facts.facts),
    newPolicies: applied.set,
    policyPlaces: inForce.places,
    kinds: known,
    namespace: namespace ?? 'default',
    now,
    problems: [...problems, ...policyProblems],
    policyProblems,
    policyWarnings: [
      ...policyReading.missingRights.map(clusterProblem),
      ...facts.warnings,
      ...inForce.warnings,
      ...applied.warnings,
    ].map((of) => ({
      ...of,
      message: `warning: ${of.message}`,
    })),
  };
}

const POLICY_VERSION = `${POLICY_GROUP}/v1alpha1`;
const NAMESPACES = { group: '', apiVersion: 'v1', resource: 'namespaces', isNamespaced: false, isOptional: true };
const POLICY_KINDS: readonly (ClusterKind & ReadableKind)[] = [
  { kind: 'ClusterProbePolicy', resource: 'clusterprobepolicies', isNamespaced: false, isOptional: true },
  { kind: 'ProbePolicy', resource: 'probepolicies', isNamespaced: true },
].map((each) => ({ ...each, group: POLICY_GROUP, apiVersion: POLICY_VERSION, names: [] }));

async function policiesOf(reading: ClusterReading, kind: ClusterKind & ReadableKind): Promise<readonly ParsedText[]> {
  return await reading.list(kind, (object) => clusterText(object, kind));
}

/** One step for a list, or for each named object. A person who names an object wants it, whoever made it. */
function workloadSteps(reading: ClusterReading, { kind, names }: WantedKind): (() => Promise<readonly ParsedText[]>)[] {
  if (names === undefined)
    return [
      () => reading.list(kind, (object) => (isOfController(object, kind) ? undefined : clusterText(object, kind))),
    ];
  return names.map((name) => async () => {
    const object = await reading.get(kind, name);
    return object === undefined ? [] : [clusterText(object, kind)];
  });
}

/** The policies of files, as the lowest tier, and those of the cluster above them: as in the webhook. */
async function policiesInForce(
  catalogue: CheckCatalogue,
  policyFiles: string | undefined,
  clusterTexts: readonly ParsedText[],
): Promise<{
  readonly looksAtNamespaceLabels: boolean;
  readonly snapshot: (labels: ReadonlyMap<string, LabelsOfNamespace>, facts: Facts) => Snapshot;
  readonly places: PolicyPlaces;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}> {
  const places = new PolicyPlaces();
  const files = policyFiles === undefined ? { texts: [], problems: [] } : await readPolicyTexts(policyFiles);
  const objects = clusterTexts.flatMap(({ manifests }) =>
    manifests.map(({ document, object, path }) => ({ document, value: object, path })),
  );
  const add: Parameters<typeof readPolicyDocuments>[3] = ({ source }, document, path) => {
    places.add(source, document, path);
  };
  const ofFiles = readPolicyDocuments(catalogue, files.texts, [], add);
  const ofCluster = readPolicyDocuments(catalogue, [], objects, add);
  const tiers = [new PolicyTier(ofFiles.policies), new PolicyTier(ofCluster.policies)];
  const set = PolicySet.ofTiers(catalogue, tiers);
  return {
    looksAtNamespaceLabels: set.looksAtNamespaceLabels,
    snapshot: (labels, facts) =>
      new Snapshot(set, {
        ...mergedFacts(ofFiles.facts, facts),
        namespaceLabels: new Map([...ofFiles.facts.namespaceLabels, ...labels]),
      }),
    places,
    problems: [...files.problems, ...ofFiles.problems, ...ofCluster.problems],
    warnings: [...ofFiles.warnings, ...ofCluster.warnings],
  };
}

async function newPoliciesOf(
  catalogue: CheckCatalogue,
  newPolicies: string | undefined,
): Promise<Pick<PoliciesAmong, 'set' | 'problems' | 'warnings'>> {
  const files = newPolicies === undefined ? { texts: [], problems: [] } : await readPolicyTexts(newPolicies);
  const read = policiesAmong(catalogue, [], files.texts);
  return { ...read, problems: [...files.problems, ...read.problems] };
}

async function labelsOfNamespaces(
  reading: ClusterReading,
  namespace: string | undefined,
): Promise<ReadonlyMap<string, LabelsOfNamespace>> {
  if (namespace === undefined)
    return new Map(
      await reading.list(NAMESPACES, ({ metadata }) => [metadata.name, readNamespaceLabels(metadata.labels)] as const),
    );
  const found = await reading.get(NAMESPACES, namespace);
  return new Map(found === undefined ? [] : [[namespace, readNamespaceLabels(found.metadata.labels)]]);
}

function objectsOf(texts: readonly ParsedText[]): JsonObject[] {
  return texts.flatMap(({ manifests }) => manifests.map(({ object }) => object));
}

function namespaceObjects(labels: ReadonlyMap<string, LabelsOfNamespace>): JsonObject[] {
  return Array.from(labels, ([name, of]) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: Object.fromEntries(of) },
  }));
}

function clusterProblem(message: string): FileProblem {
  return { file: CLUSTER_PLACE, line: 1, column: 1, message };
}

/** All workloads of a namespace together. Kinds and names keep the order in which they were read. */
function byNamespace(a: ParsedText, b: ParsedText): number {
  const [left, right] = [a, b].map(({ file }) => file.slice(0, file.indexOf('/')));
  if (left === right || left === undefined || right === undefined) return 0;
  return left < right ? -1 : 1;
}
