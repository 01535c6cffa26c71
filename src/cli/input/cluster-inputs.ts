import { isPod } from '../../engine/workload/kinds.ts';
import { isOfController } from '../../observer/observed-workload.ts';
import { objectPath, POLICY_COLLECTIONS } from '../../cluster/client/api-path.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { compareText, quote } from '../../base/text/cut.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { VERSION } from '../../base/version.ts';
import { PatientClient } from '../../cluster/client/patient-client.ts';
import { loadUserAccess } from '../../cluster/client/user-access.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { isDnsSubdomain, POLICY_API_VERSION, POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { wantedKinds, type ClusterLine, type ClusterName } from './cluster-choice.ts';
import { mergedFacts, readNamespaceLabels, type LabelsOfNamespace } from '../../engine/facts/facts.ts';
import { Snapshot } from '../../engine/facts/snapshot.ts';
import { inParallel } from '../../cluster/client/timing.ts';
import { builtInPolicy } from '../../engine/policy/check-policy.ts';
import { policyTier } from '../../engine/policy/policy-set.ts';
import { discoverKinds, MOST_REQUESTS_AT_ONCE } from '../../cluster/sources/discovery.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import { FACT_KINDS, type FactKind } from '../../cluster/sources/fact-kinds.ts';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { clusterProblem, clusterText } from './cluster-object.ts';
import { withoutExempt } from './exempt-workloads.ts';
import { ClusterFacts, ClusterReading, readObserverReports, type ListedKind } from './cluster-reading.ts';
import { readPolicyDocuments, snapshotOf, warningsOf, type World } from './world.ts';
import type { NamedInputs, Live } from './live.ts';
import { readAllPolicyTexts, readPolicyTexts } from './input-files.ts';
import { readClusterWebhook } from '../../observer/missed/cluster-webhook.ts';
import { PROGRAM, type CommandIo } from '../io.ts';
import type { Progress } from '../output/messages.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { PolicyPlaces } from '../../cluster/sources/policy-documents.ts';
import { hasCode, type ApiClient } from '../../cluster/client/api-client.ts';
import type { Manifest } from './manifest.ts';
import type { ParsedText } from './manifests.ts';

/**
 * Reads the cluster that a command line means.
 *
 * @throws PolicyFilesError when nothing of the cluster can be read
 */
export async function readCluster(
  { flags }: { readonly flags: ChosenCluster },
  names: readonly ClusterName[],
  io: CommandIo,
  progress: Progress,
  wishes: ReadingWishes,
): Promise<NamedInputs> {
  const { policies, 'workload-kinds': workloadKinds } = flags;
  try {
    const access = await loadUserAccess({ kubeconfig: flags.kubeconfig, context: flags.context, env: io.env });
    const namespace = flags['all-namespaces'] ? undefined : namespaceToRead(flags.namespace ?? access.namespace);
    const client = new PatientClient(access, `${PROGRAM}/${VERSION}`);
    const options = { ...wishes, names, namespace, policies, workloadKinds, now: flags.now ?? io.now() };
    const read = await readClusterInputs(client, options, (done, total) => {
      progress.show('reading', done, total, 'lists');
    });
    const isPartial = names.length > 0 || read.manifests.problems.length > 0;
    const manifests = { ...read.manifests, isPartial };
    if (namespace !== undefined && manifests.texts.length === 0) await requireNamespace(client, namespace);
    const isNamed = names.some(({ name }) => name !== undefined);
    const known = { ...read.live, isNamed };
    if (wishes.webhook === undefined) return { ...read, manifests, live: known };
    const world = await withLabels(read.world, client, namespace);
    const live = { ...known, webhook: await readClusterWebhook(client) };
    return { manifests: wishes.webhook === 'exempts' ? withoutExempt(manifests, world, live) : manifests, world, live };
  } catch (error) {
    if (error instanceof PolicyFilesError) throw error;
    const hint = names.length === 0 && flags.namespace !== undefined ? '; to read files, name them' : '';
    throw new PolicyFilesError(`the cluster cannot be read: ${messageOf(error)}${hint}`);
  }
}

/** The name becomes a part of the request's path, where `..` would mean all namespaces. */
function namespaceToRead(given = ''): string {
  if (given === '') return 'default';
  if (isDnsSubdomain(given)) return given;
  throw new PolicyFilesError(`--namespace: must be the name of a Kubernetes object, not ${quote(given)}`);
}

/** What of a command line chooses a cluster, and how the cluster is read. */
export type ChosenCluster = Pick<
  ClusterLine['flags'],
  'kubeconfig' | 'context' | 'all-namespaces' | 'namespace' | 'now' | 'workload-kinds'
> &
  Pick<ClusterInputOptions, 'policies'>;

/** The command line's inputs from a cluster. */
export interface ClusterInputOptions {
  readonly names: readonly ClusterName[];
  readonly namespace: string | undefined;
  /** Policies in files: the lowest layer, below the policies of the cluster, as in `serve`. */
  readonly policies: string | readonly string[] | undefined;
  /** The files of a change of policies. With a change, policies in files replace the policies of the cluster. */
  readonly change?: { readonly newPolicies: string | undefined } | undefined;
  readonly workloadKinds: string | undefined;
  readonly now: number;
  /** Keeps policies, Namespaces and facts as objects too, for a snapshot. */
  readonly keepsObjects?: boolean | undefined;
  /** Reads what an observer has reported about live Pods. */
  readonly readsReports?: boolean | undefined;
  /** Reads policies with facts of these kinds, and nothing else: no workloads, and no labels of namespaces. */
  readonly policiesWith?: readonly FactKind[] | undefined;
}

/** What a command reads beside what verdicts depend on. */
export interface ReadingWishes extends Pick<
  ClusterInputOptions,
  'change' | 'keepsObjects' | 'readsReports' | 'policiesWith'
> {
  /** `exempts` leaves out the workloads that the webhook never sees. */
  readonly webhook?: 'is-read' | 'exempts';
}

const NAMESPACES = { group: '', apiVersion: 'v1', resource: 'namespaces', isNamespaced: false, isOptional: true };

const POLICY_KINDS: readonly ListedKind[] = [
  { kind: 'ClusterProbePolicy', ...POLICY_COLLECTIONS.ClusterProbePolicy, isNamespaced: false, isOptional: true },
  { kind: 'ProbePolicy', ...POLICY_COLLECTIONS.ProbePolicy, isNamespaced: true },
].map((each) => ({ ...each, group: POLICY_GROUP, names: [] }));

/**
 * Reads workloads, policies and labels of namespaces from a cluster. What cannot be read becomes a problem, and
 * everything else is returned.
 *
 * @param onRead is called with the numbers of lists that have been read and that are read
 * @throws when the API server cannot be reached or does not accept the credentials
 * @throws PolicyFilesError when the file of custom kinds cannot be used
 */
export async function readClusterInputs(
  client: ApiClient,
  options: ClusterInputOptions,
  onRead: (done: number, total: number) => void = () => undefined,
): Promise<NamedInputs & { readonly live: Live }> {
  const { names, namespace, policies, change, workloadKinds, now, keepsObjects = false, readsReports } = options;
  const { policiesWith } = options;
  const kinds = await loadWorkloadKinds(workloadKinds);
  const discovered = await discoverKinds(client, kinds);
  const judges = policiesWith === undefined;
  const { wanted, problems: nameProblems } = wantedKinds(names, judges ? discovered.kinds : []);
  const { policyKinds, factKinds } = kindsToRead(options, discovered.groups?.has(POLICY_GROUP) ?? true);
  const [reading, policyReading] = [new ClusterReading(client, namespace), new ClusterReading(client, namespace)];
  const facts = new ClusterFacts();
  const steps: readonly (() => Promise<readonly ParsedText[] | undefined>)[] = [
    ...policyKinds.map((kind) => () => policyReading.list(kind, (object) => clusterText(object, kind))),
    ...factKinds.map((kind) => async () => {
      await facts.read(policyReading, kind, keepsObjects);
      return [];
    }),
    ...[...wanted].flatMap(([kind, wantedNames]) => workloadSteps(reading, kind, wantedNames)),
  ];
  let done = 0;
  const read = await inParallel(steps, MOST_REQUESTS_AT_ONCE, async (step) => {
    const texts = (await step()) ?? [];
    onRead(++done, steps.length);
    return texts;
  });
  const ofCluster = read.slice(0, policyKinds.length).flatMap((texts) => texts.flatMap(({ manifests }) => manifests));
  const given = await readTiers(policies, ofCluster, change?.newPolicies);
  const { snapshot: set, applied, low } = given;
  const observed = readsReports === true ? await readObserverReports(discovered, policyReading) : undefined;
  const readsLabels = judges && (keepsObjects || set.looksAtNamespaceLabels || applied.looksAtNamespaceLabels);
  const labels = readsLabels ? await labelsOfNamespaces(policyReading, namespace) : new Map();
  const policyProblems = [policyReading, facts, given].flatMap(({ problems }) => problems);
  const others = [...ofCluster.map(({ object }) => object), ...facts.objects, ...namespaceObjects(labels)];
  return {
    manifests: {
      texts: read.slice(policyKinds.length).flat().toSorted(byNamespace),
      problems: [
        ...[...discovered.problems, ...nameProblems].map(clusterProblem),
        ...reading.problems,
        ...policyProblems,
      ],
      warnings: warningsOf([...policyReading.missingRights, ...given.warnings]),
    },
    world: {
      isFromCluster: true,
      snapshot: set.withFacts({
        ...mergedFacts(low, facts.facts),
        namespaceLabels: new Map([...low.namespaceLabels, ...labels]),
      }),
      applied,
      places: given.places,
      policyProblems,
      kinds,
      namespace: namespace ?? 'default',
      now,
    },
    live: {
      client,
      namespace,
      isNamed: false,
      states: reading.states,
      ...(keepsObjects && { objects: others }),
      ...(observed !== undefined && { reports: observed }),
    },
  };
}

/** @param hasPolicies the cluster has our kinds */
function kindsToRead({ change, policies, policiesWith }: ClusterInputOptions, hasPolicies: boolean) {
  const replacesPolicies = change !== undefined && policies !== undefined;
  return {
    policyKinds: hasPolicies && !replacesPolicies ? POLICY_KINDS : [],
    factKinds: (policiesWith ?? FACT_KINDS).filter(
      ({ apiVersion }) => hasPolicies || apiVersion !== POLICY_API_VERSION,
    ),
  };
}

/** Policies in files are the lowest tier, and those of the cluster are above them: as in the webhook. */
async function readTiers(
  file: ClusterInputOptions['policies'],
  ofCluster: readonly Manifest[],
  newFile: string | undefined,
) {
  const places: PolicyPlaces = new Map();
  const [files, newFiles] = [await readAllPolicyTexts([file ?? []].flat()), await readPolicyTexts(newFile)];
  const low = readPolicyDocuments(files.texts, [], undefined, places);
  const high = readPolicyDocuments([], ofCluster, undefined, places);
  const added = readPolicyDocuments(newFiles.texts);
  const tiers = [policyTier(low.policies), policyTier(high.policies)];
  return {
    places,
    snapshot: new Snapshot(builtInPolicy(CHECK_CATALOGUE), tiers),
    applied: snapshotOf(added),
    low: low.facts,
    problems: [files, low, high, newFiles, added].flatMap(({ problems }) => problems),
    warnings: [low, high, added].flatMap(({ warnings }) => warnings),
  };
}

/** The world with the labels of namespaces, as the webhook may look at them. */
async function withLabels(world: World, client: ApiClient, namespace: string | undefined): Promise<World> {
  const { facts } = world.snapshot;
  // Without the right to read labels, only the names of exempt namespaces count: that is no problem of a policy.
  const labels = await labelsOfNamespaces(new ClusterReading(client, namespace), namespace);
  const namespaceLabels = new Map([...facts.namespaceLabels, ...labels]);
  return { ...world, snapshot: world.snapshot.withFacts({ ...facts, namespaceLabels }) };
}

/** The API server lists nothing for a namespace that does not exist, as for an empty one. */
async function requireNamespace(client: ApiClient, name: string): Promise<void> {
  const path = objectPath(NAMESPACES, { name });
  const answer = await client.request({ method: 'GET', path }).catch((error: unknown) => error);
  if (!hasCode(answer, 404)) return;
  const names = (await new ClusterReading(client, undefined).list(NAMESPACES, ({ metadata }) => metadata.name)) ?? [];
  const step = didYouMean(name, names) || '; kubectl get namespaces lists those that do';
  throw new PolicyFilesError(`namespace ${quote(name)} does not exist in the cluster${step}`);
}

/** One step for a list, or for each named object. A person who names an object wants it, whoever made it. */
function workloadSteps(
  reading: ClusterReading,
  kind: ClusterKind,
  names: ReadonlySet<string> | undefined,
): (() => Promise<readonly ParsedText[] | undefined>)[] {
  const listed = isPod(kind) ? kind : { ...kind, workloadKind: kind.kind };
  if (names === undefined)
    return [
      () => reading.list(listed, (object) => (isOfController(object, kind) ? undefined : clusterText(object, kind))),
    ];
  return Array.from(names, (name) => async () => {
    const object = await reading.get(listed, name);
    return object === undefined ? [] : [clusterText(object, kind)];
  });
}

async function labelsOfNamespaces(
  reading: ClusterReading,
  namespace: string | undefined,
): Promise<ReadonlyMap<string, LabelsOfNamespace>> {
  const found =
    namespace === undefined
      ? await reading.list(NAMESPACES, (object) => object)
      : [await reading.get(NAMESPACES, namespace)].filter((object) => object !== undefined);
  return new Map(found?.map(({ metadata }) => [metadata.name, readNamespaceLabels(metadata.labels)]));
}

function namespaceObjects(labels: ReadonlyMap<string, LabelsOfNamespace>): JsonObject[] {
  return Array.from(labels, ([name, of]) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: Object.fromEntries(of) },
  }));
}

/** All workloads of a namespace together. Kinds and names keep the order in which they were read. */
function byNamespace(a: ParsedText, b: ParsedText): number {
  const [left = '', right = ''] = [a, b].map(({ file }) => file.slice(0, file.indexOf('/')));
  return compareText(left, right);
}
