import { describe, expect, it } from 'vitest';
import {
  BUILT_IN_KINDS,
  groupOfVersion,
  hasFixedRestartPolicy,
  isBeingDeleted,
  isDeployment,
  isPod,
  KNOWN_KINDS,
  mayEnd,
  mayHoldSeveralTemplates,
  podTemplatesOf,
  removedVersionOf,
  templateName,
  templatesToLookAt,
  workloadKind,
  workloadKindOfManifest,
  type WorkloadKind,
} from '../../../src/engine/workload/kinds.ts';
import { checkTexts } from '../../support/check-texts.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const PROBE = { httpGet: { path: '/live', port: 'htp' } };
const TEMPLATE = { spec: { containers: [{ name: 'app', image: 'example.test/web:1', livenessProbe: PROBE }] } };

function workload(apiVersion: string, kind: string): JsonObject {
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template: TEMPLATE } } } : { template: TEMPLATE };
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'apps' }, spec };
}

const REMOVED = [
  ['extensions/v1beta1', 'Deployment', 'apps', '1.16', 'apps/v1'],
  ['extensions/v1beta1', 'DaemonSet', 'apps', '1.16', 'apps/v1'],
  ['extensions/v1beta1', 'ReplicaSet', 'apps', '1.16', 'apps/v1'],
  ['apps/v1beta1', 'Deployment', 'apps', '1.16', 'apps/v1'],
  ['apps/v1beta1', 'StatefulSet', 'apps', '1.16', 'apps/v1'],
  ['apps/v1beta2', 'DaemonSet', 'apps', '1.16', 'apps/v1'],
  ['batch/v1beta1', 'CronJob', 'batch', '1.25', 'batch/v1'],
  ['batch/v2alpha1', 'CronJob', 'batch', '1.21', 'batch/v1'],
] as const;

describe('a workload in a removed API version', () => {
  it.each(REMOVED)('%s %s is judged as a kind of %s, with one warning', (apiVersion, kind, group, release, today) => {
    const object = workload(apiVersion, kind);
    expect(workloadKindOfManifest(object, KNOWN_KINDS)).toMatchObject({ group, kind });
    const { violations, warnings } = checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], []);
    expect(violations.map(({ check }) => check)).toContain('named-port');
    expect(warnings.map(({ message }) => message)).toEqual([
      `warning: ${kind} apps/web: ${apiVersion} was removed in Kubernetes ${release}; write apiVersion: ${today}`,
    ]);
  });

  it.each([
    ['apps/v1', 'Deployment'],
    ['batch/v1', 'CronJob'],
  ])('is not %s %s', (apiVersion, kind) => {
    const { warnings } = checkTexts([{ file: 'w.json', text: JSON.stringify(workload(apiVersion, kind)) }], []);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['extensions/v1beta1', 'Ingress'],
    ['extensions/v1', 'Deployment'],
  ])('leaves %s %s unknown', (apiVersion, kind) =>
    expect(workloadKindOfManifest(workload(apiVersion, kind), KNOWN_KINDS)).toBeUndefined(),
  );
});

/** A kind that is known: `apps Deployment`, ` Pod`. */
function kindOf(name: string): WorkloadKind {
  const [group = '', kind = ''] = name.split(' ');
  const known = workloadKind(group, kind, KNOWN_KINDS);
  if (known === undefined) throw new Error(`no kind ${name}`);
  return known;
}

describe('a kind', () => {
  it.each<[name: string, what: readonly string[]]>([
    [' Pod', ['isPod', 'mayEnd']],
    [' PodTemplate', ['mayEnd']],
    [' ReplicationController', ['hasFixedRestartPolicy']],
    ['apps Deployment', ['hasFixedRestartPolicy', 'isDeployment']],
    ['apps StatefulSet', ['hasFixedRestartPolicy']],
    ['batch Job', ['hasFixedRestartPolicy']],
    ['jobset.x-k8s.io JobSet', ['mayHoldSeveralTemplates']],
    ['leaderworkerset.x-k8s.io LeaderWorkerSet', ['mayHoldSeveralTemplates']],
    ['argoproj.io Rollout', []],
  ])('%s has what its controller gives it: %j', (name, what) => {
    const asked = { isPod, mayEnd, hasFixedRestartPolicy, isDeployment, mayHoldSeveralTemplates };
    const kind = kindOf(name);
    const answers = Object.entries(asked).flatMap(([question, is]) => (is(kind) ? [question] : []));
    expect(answers.toSorted()).toEqual(what.toSorted());
  });

  it('runs to completion if it is of the group batch, and of no other built-in group', () => {
    const completing = BUILT_IN_KINDS.filter(({ runsToCompletion }) => runsToCompletion);
    expect(completing.map(({ kind }) => kind)).toEqual(['Job', 'CronJob']);
  });

  it('is found by its group and its name', () => {
    expect([isPod({ group: 'example.test', kind: 'Pod' }), isPod({ group: '', kind: 'Node' })]).toEqual([false, false]);
    expect(mayEnd({ ...kindOf(' PodTemplate'), group: 'example.test' })).toBe(false);
    expect(isDeployment({ ...kindOf('apps Deployment'), group: 'example.test' })).toBe(false);
    expect(workloadKind('example.test', 'Deployment', KNOWN_KINDS)).toBeUndefined();
    expect(workloadKindOfManifest({ apiVersion: 1, kind: 'Pod' }, KNOWN_KINDS)).toBeUndefined();
    expect(workloadKindOfManifest({ apiVersion: 'v1', kind: 1 }, KNOWN_KINDS)).toBeUndefined();
    expect(['v1', 'apps/v1', 'a/b/c'].map(groupOfVersion)).toEqual(['', 'apps', 'a']);
  });

  it('is one of a removed version only in that version', () => {
    expect(removedVersionOf({ apiVersion: 'batch/v1beta1', kind: 'CronJob' })?.removedIn).toBe('1.25');
    for (const kind of ['Cron', 'Job', '', undefined])
      expect(removedVersionOf({ apiVersion: 'batch/v1beta1', kind })).toBeUndefined();
  });
});

describe('the templates of an object', () => {
  const jobSet = kindOf('jobset.x-k8s.io JobSet');
  const template = { spec: { template: { spec: {} } } };

  it('leave out places that are missing or have no spec', () => {
    const object = {
      spec: { replicatedJobs: [{ template }, {}, { template: { spec: { template: {} } } }, { template: 1 }] },
    };
    expect(podTemplatesOf(object, jobSet)).toEqual([
      { template: { spec: {} }, path: ['spec', 'replicatedJobs', 0, 'template', 'spec', 'template'] },
    ]);
  });

  it('are named by the names of list elements, or by their numbers', () => {
    const object = { spec: { replicatedJobs: [{ name: 'driver' }, {}] } };
    const name = (index: number): string => templateName(object, ['spec', 'replicatedJobs', index, 'template']);
    expect([name(0), name(1)]).toEqual(['spec.replicatedJobs.driver.template', 'spec.replicatedJobs.1.template']);
    expect(templateName({ spec: { name: 'x' } }, ['spec'])).toBe('spec');
  });

  const look = (object: JsonObject, name: string, isControlled?: boolean): string => {
    const found = templatesToLookAt(object, kindOf(name), isControlled);
    return found.kind === 'skipped' ? found.reason : String(found.templates.length);
  };
  const mirror = { annotations: { 'kubernetes.io/config.mirror': '' } };
  const deployment = (metadata: JsonObject): JsonObject => ({ metadata, spec: { template: { spec: {} } } });

  it('are looked at unless the object is deleted, controlled, a mirror, or without a template', () => {
    expect(look(deployment({}), 'apps Deployment')).toBe('1');
    expect(look(deployment({}), 'apps Deployment', true)).toBe('controller-owned');
    expect(look({ metadata: {}, spec: {} }, ' Pod', true)).toBe('1');
    expect(look({ metadata: mirror, spec: {} }, ' Pod')).toBe('mirror-pod');
    expect(look({ metadata: { annotations: {} }, spec: {} }, ' Pod')).toBe('1');
    expect(look(deployment(mirror), 'apps Deployment')).toBe('1');
    expect(look({ metadata: {} }, ' Pod')).toBe('no-pod-template');
    expect(look(deployment({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'apps Deployment', true)).toBe(
      'being-deleted',
    );
  });

  it('are those of an object that is being deleted once it has a deletion time', () => {
    expect(isBeingDeleted({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(true);
    for (const object of [{}, { metadata: {} }, { metadata: { deletionTimestamp: null } }])
      expect(isBeingDeleted(object)).toBe(false);
  });
});
