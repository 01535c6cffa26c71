import fc from 'fast-check';
import { expect, it } from 'vitest';
import { violationKey } from '../../../../src/engine/checks/violation.ts';
import { checkManifests } from '../../../../src/cli/check/check-manifests.ts';
import { fixFile } from '../../../../src/cli/fix/fix-file.ts';
import { planAsJson } from '../../../../src/cli/plan/formats.ts';
import { workloadsOf } from '../../../../src/cli/plan/workloads.ts';
import { equalJson, type JsonObject } from '../../../../src/base/json/json-value.ts';
import { worldOf } from '../../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../../support/flat-given.ts';
import { snapshotAfter } from '../../../../src/engine/verdict/compare/policy-change.ts';
import { without } from '../../../cluster/client/fake-store.ts';
import { KNOWN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../../../src/engine/workload/kinds.ts';
import { anyWorkload } from '../../../support/arbitrary-workloads.ts';
import { anyPod } from '../../../support/arbitraries.ts';
import { anyFact, startupProfile } from '../../../support/arbitrary-facts.ts';
import { exceptionDocument } from '../../../support/exceptions.ts';
import { clusterDocument, namespaceDocument } from '../../../robustness/random-worlds.ts';
import { clusterPolicyDocument, policyDocument } from '../../../support/worlds.ts';
import { NOW } from '../../../support/now.ts';
import { runs } from '../../../support/runs.ts';
import { storedPod } from '../../../../src/webhook/review/stored-pod.ts';
import { planOf } from '../../../../src/engine/verdict/compare/plan.ts';
import type { PlacedViolation } from '../../../../src/cli/check/report.ts';

interface Change {
  readonly container: string;
  readonly probe: string | null;
  readonly change: string;
  readonly before: unknown;
  readonly after: unknown;
}
interface JsonPlan {
  readonly workloads: readonly {
    readonly name: string;
    readonly probes: readonly Change[];
    readonly violations: readonly (Change & { readonly check: string })[];
  }[];
  readonly summary: Readonly<Record<string, number>>;
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const keyOf = (object: JsonObject): string => removalOf(object);
const policy = fc.oneof(
  clusterDocument,
  namespaceDocument.map((document) => ({
    ...document,
    metadata: { ...(document['metadata'] as JsonObject), namespace: 'apps' },
  })),
);
/** The object in another namespace, unless the object belongs to the cluster. */
function movedTo(object: JsonObject, namespace: string): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  return metadata['namespace'] === undefined ? object : { ...object, metadata: { ...metadata, namespace } };
}
const policies = fc
  .tuple(
    fc.uniqueArray(policy, { maxLength: 4, selector: keyOf }),
    fc.uniqueArray(anyFact, { maxLength: 4, selector: keyOf }),
  )
  .chain(([first, second]) => {
    const all = [...first, ...second];
    const places = fc.array(fc.constantFrom('apps', 'apps', 'data'), { minLength: all.length, maxLength: all.length });
    return places.map((namespaces) => all.map((object, index) => movedTo(object, namespaces[index] ?? 'apps')));
  })
  .map((all) => all.filter((object, index) => all.findIndex((other) => keyOf(other) === keyOf(object)) === index));
const workloads = fc.array(
  fc.oneof(
    anyWorkload,
    anyPod.map((pod) => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { namespace: 'apps' },
      spec: { template: { metadata: pod['metadata'], spec: pod['spec'] } },
    })),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Every other file has its workload in a List. */
const inFile = (object: JsonObject, index: number): JsonObject =>
  index % 2 === 1 ? { apiVersion: 'v1', kind: 'List', items: [object] } : object;

/** The inputs with these objects: a file for each workload, named as the workload. */
function inputs(old: readonly JsonObject[], now: readonly JsonObject[], objects: readonly JsonObject[]): FlatGiven {
  const texts = (
    documents: readonly JsonObject[],
    name: string,
  ): { texts: { file: string; text: string }[]; problems: [] } => ({
    texts: documents.map((document, index) => ({ file: `${name}${index}`, text: JSON.stringify(document) })),
    problems: [],
  });
  const settings = { kinds: KNOWN_KINDS, namespace: 'default', now: NOW };
  const read = flatGiven(worldOf(texts(objects.map(inFile), 'w'), texts(old, 'old'), settings, texts(now, 'new')));
  expect(read.policyProblems).toEqual([]);
  return read;
}

/** What `kubectl apply` of the second list and the removals leave, object by object. */
function applied(
  old: readonly JsonObject[],
  now: readonly JsonObject[],
  removed: readonly string[] = [],
): JsonObject[] {
  const both = [...old.filter((document) => !now.some((other) => keyOf(other) === keyOf(document))), ...now];
  return both.filter((document) => !removed.includes(removalOf(document)));
}

/** An object as `--remove` names it. */
function removalOf({ kind, metadata }: JsonObject): string {
  const { namespace, name } = metadata as { namespace?: string; name: string };
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

/** Facts that no plan can remove. */
const isRemovable = ({ kind }: JsonObject): boolean =>
  ['ProbePolicy', 'ClusterProbePolicy', 'ProbeException'].includes(String(kind));

/** The probes of each container of an object, as `fix` writes them. */
function fixedProbes(read: FlatGiven, index: number): { container: string; probe: string; value: unknown }[] {
  const [text] = read.texts.slice(index);
  const [object] = text === undefined ? [] : fixFile(text, read, undefined).objects;
  const kind = object && workloadKindOfManifest(object, KNOWN_KINDS);
  if (object === undefined || kind === undefined) throw new Error('no workload');
  return podTemplatesOf(object, kind).flatMap(({ template }) => {
    const spec = template['spec'] as Record<string, unknown>;
    return ['initContainers', 'containers'].flatMap((list) =>
      ((spec[list] ?? []) as JsonObject[]).flatMap((entry) =>
        PROBES.map((probe) => ({ container: String(entry['name']), probe, value: entry[probe] ?? null })),
      ),
    );
  });
}

/** The differences of two `fix` results. */
function fixDifferences(old: FlatGiven, now: FlatGiven, index: number): Change[] {
  const after = fixedProbes(now, index);
  return fixedProbes(old, index).flatMap(({ container, probe, value: before }, position) => {
    const is = after[position]?.value;
    if (equalJson(before, is)) return [];
    return [
      { container, probe, change: before === null ? 'added' : is === null ? 'removed' : 'changed', before, after: is },
    ];
  });
}

/** The violations that `check` finds, by workload. Findings about policies have another place. */
function checked(read: FlatGiven): (index: number) => readonly PlacedViolation[] {
  const { violations } = checkManifests(read, read);
  return (index) => violations.filter(({ file }) => file === `w${index}`);
}

const sorted = (changes: readonly unknown[]): string[] => changes.map((change) => JSON.stringify(change)).sort();

it('a plan is the difference of two runs of fix and of two runs of check, and nothing more', () => {
  const seen = { probes: 0, violations: 0, same: 0, excepted: 0, services: 0, starts: 0, learned: 0 };
  const base = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/r' } }, 'base');
  const other = policyDocument({ containers: ['*'], checks: { 'required-liveness': { action: 'Deny' } } }, 'base');
  const podWith = (probes: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'apps', labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', ports: [{ containerPort: 80, name: 'http' }], ...probes }] },
  });
  const pod = podWith({});
  // Start times are learned for workloads, and not for single Pods.
  const { metadata, spec } = podWith({ livenessProbe: { httpGet: { path: '/', port: 'http' } } });
  const alive: JsonObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { template: { metadata, spec } },
  };
  const misnamed = podWith({ livenessProbe: { httpGet: { path: '/', port: 'htpp' } } });
  const excepted = exceptionDocument({ workloads: [{ kind: 'Pod', name: 'w0' }] });
  const learning = clusterPolicyDocument({ containers: ['*'], slowStart: { fromInitialDelaySeconds: 1, learned: {} } });
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
  };
  fc.assert(
    fc.property(policies, policies, workloads, fc.nat(), (old, now, given, choice) => {
      // Every third change also removes an object.
      const candidates = [...old, ...now].filter(isRemovable).map(removalOf);
      const removed = choice % 3 === 0 ? candidates.slice(choice % 7, (choice % 7) + 1) : [];
      const objects = given.map((object, index) => {
        const metadata = without(object['metadata'] as JsonObject, 'name');
        // Some workloads are in another namespace, and some have a name that the API server makes.
        const namespace = (choice + index) % 3 === 2 ? 'data' : 'apps';
        const named = (choice + index) % 5 === 4 ? 'generateName' : 'name';
        return { ...object, metadata: { ...metadata, namespace, [named]: `w${index}` } };
      });
      const read = inputs(old, now, objects);
      const after = snapshotAfter(read.snapshot, { applied: read.applied, removed });
      const plan = JSON.parse(
        planAsJson(planOf(workloadsOf(read, read, []), read.snapshot, after, storedPod, NOW)),
      ) as JsonPlan;
      const [runOld, runNow] = [inputs(old, [], objects), inputs(applied(old, now, removed), [], objects)];
      const summary = {
        workloads: objects.length,
        changedProbes: 0,
        newlyDenied: 0,
        noLongerDenied: 0,
        // outcome.property.test.ts compares these with the webhook.
        newlyDeniedAtUpdate: plan.summary['newlyDeniedAtUpdate'] ?? NaN,
        newlyWarned: 0,
        noLongerWarned: 0,
        unchanged: 0,
      };
      const [checkedOld, checkedNow] = [checked(runOld), checked(runNow)];
      for (const index of objects.keys()) {
        const { probes, violations } = plan.workloads.find(({ name }) => name === `w${index}`) ?? {
          probes: [],
          violations: [],
        };
        const expectedProbes = fixDifferences(runOld, runNow, index);
        expect(sorted(probes)).toEqual(sorted(expectedProbes));
        const [before, now] = [checkedOld(index), checkedNow(index)];
        expectDifference(violations, before, now);
        const has = (found: readonly PlacedViolation[], action: string): boolean =>
          found.some((violation) => violation.action === action);
        summary.changedProbes += Number(probes.length > 0);
        const isDenied = !has(before, 'Deny') && has(now, 'Deny');
        summary.newlyDenied += Number(isDenied);
        summary.noLongerDenied += Number(has(before, 'Deny') && !has(now, 'Deny'));
        summary.newlyWarned += Number(!has(before, 'Warn') && has(now, 'Warn'));
        summary.noLongerWarned += Number(has(before, 'Warn') && !has(now, 'Warn') && !isDenied);
        summary.unchanged += Number(probes.length + violations.length === 0);
        seen.probes += probes.length;
        seen.learned += probes.filter(({ probe, change }) => probe === 'startupProbe' && change === 'added').length;
        seen.violations += violations.length;
        seen.excepted += violations.filter(({ before, after: is }) => [before, is].includes('Excepted')).length;
        seen.services += violations.filter(({ check }) => check === 'service-readiness').length;
        seen.starts += violations.filter(({ check }) => check === 'observed-startup').length;
      }
      seen.same += summary.unchanged;
      // An exception that is over when it is applied changes no violation, but makes updates correct it.
      const { newlyDenied, noLongerWarned, unchanged } = summary.newlyDeniedAtUpdate === 0 ? plan.summary : summary;
      expect({ ...plan.summary, newlyDenied, noLongerWarned, unchanged }).toEqual(summary);
      expect(plan.workloads.length).toBe(objects.length - (plan.summary['unchanged'] ?? NaN));
    }),
    {
      numRuns: runs(60),
      examples: [
        [[base], [other], [pod], 1],
        [[base], [], [pod], 1],
        [[], [excepted], [misnamed], 1],
        // The exception is removed.
        [[excepted], [], [misnamed], 0],
        [[], [service], [pod], 1],
        // A Service that says nothing about Pods replaces the one of its name.
        [[service], [{ ...service, spec: { type: 'ExternalName', externalName: 'web.test' } }], [pod], 1],
        [[], [startupProfile('Deployment', 'w0', [3000], 0)], [alive], 1],
        [[learning], [startupProfile('Deployment', 'w0', [300, 300, 300, 300, 300, 300], 0)], [alive], 1],
      ],
    },
  );
  for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
});

/** The changes lead from the violations of the first run to those of the second, in the fewest steps. */
function expectDifference(
  changes: JsonPlan['workloads'][number]['violations'],
  before: readonly PlacedViolation[],
  after: readonly PlacedViolation[],
): void {
  const shown = ({ check, container, probe }: { check: string; container: string; probe?: unknown }): string =>
    JSON.stringify([check, container, probe ?? null]);
  const actions = (found: readonly PlacedViolation[], key: string): string[] =>
    found.filter((violation) => shown(violation) === key).map(({ action }) => action);
  for (const key of new Set([...changes.map(shown), ...[...before, ...after].map(shown)])) {
    const ofKey = changes.filter((change) => shown(change) === key);
    for (const { change, before: was, after: is } of ofKey) {
      expect(was).not.toBe(is);
      expect(change).toBe(was === null ? 'new' : is === null ? 'gone' : 'changed');
    }
    const [old, now] = [actions(before, key), actions(after, key)];
    for (const { before: was } of ofKey)
      if (was !== null) expect(old.splice(old.indexOf(was as string), 1)).toEqual([was]);
    for (const { after: is } of ofKey) if (is !== null) expect(now.splice(now.indexOf(is as string), 1)).toEqual([is]);
    // What no change names has the same action before and after.
    expect(old.sort()).toEqual(now.sort());
  }
  // Equal runs have no difference.
  if (
    equalJson(before.map(violationKey), after.map(violationKey)) &&
    equalJson(
      before.map(({ action }) => action),
      after.map(({ action }) => action),
    )
  )
    expect(changes.length).toBeLessThanOrEqual(before.length - new Set(before.map(violationKey)).size);
}
