import { describe, expect, it } from 'vitest';
import {
  judgeObject,
  namesOfSubject,
  policyOfPod,
  sourcesOf,
  type Judgement,
} from '../../../src/engine/verdict/judge.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { describeVerdicts } from '../../support/verdict-cases.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { exceptionDocument, withExceptionsInApps } from '../../support/exceptions.ts';
import { clusterPolicyDocument, pod, policyDocument, policySet, subjectOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('judge', () => {
  describeVerdicts('copied-handlers');
  describeVerdicts('evasion');
});

const metadata = { name: 'web', namespace: 'apps' };
const named = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  ports: [{ name: 'http', containerPort: 80 }],
  ...more,
});
const deployment = (...containers: JsonObject[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: { template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
});
const judged = (object: JsonObject, policies = policySet(), willBeDefaulted = false): Judgement =>
  judgeObject(subjectOf(object), policies, willBeDefaulted, NOW);

describe('the judgement of an object', () => {
  const strict = clusterPolicyDocument({ checks: { 'required-readiness': { action: 'Deny' } } });
  const gives = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } });

  it('is that of the probes to come only if there will be any', () => {
    const missing = (willBeDefaulted: boolean): number =>
      judged(deployment(named('app')), policySet(strict, gives), willBeDefaulted).violations.filter(
        ({ check }) => check === 'required-readiness',
      ).length;
    expect([missing(false), missing(true)]).toEqual([1, 0]);
  });

  it('has the policy of its namespace, by the labels of its Pods', () => {
    const subject = subjectOf(deployment(named('app')));
    const sources = (app: string, namespace = 'apps'): readonly string[] => {
      const policies = policySet(policyDocument({ workloadSelector: { matchLabels: { app } } }, 'p'));
      return subject.pods.flatMap((each) => policyOfPod({ ...subject, namespace }, each, policies).sources);
    };
    expect([sources('web'), sources('other'), sources('web', 'shop')]).toEqual([['ProbePolicy/apps/p'], [], []]);
  });

  it('names the policies in force, each once', () => {
    const judgement = judged(deployment(named('app')), policySet(strict, gives));
    expect(sourcesOf(judgement)).toEqual(['ClusterProbePolicy/cluster', 'ProbePolicy/apps/policy']);
    expect(sourcesOf({ inForce: [...judgement.inForce, ...judgement.inForce] })).toEqual(sourcesOf(judgement));
  });

  it('is about the workload itself, and about the controllers of a Pod that can be trusted', () => {
    const controllers = [{ kind: 'Deployment', name: 'web' }];
    const of = (name?: string): unknown =>
      namesOfSubject({ object: { metadata: { name } }, kind: POD_KIND, namespace: 'apps', controllers });
    expect(of('web-1')).toEqual([{ kind: 'Pod', name: 'web-1' }, ...controllers]);
    expect(of()).toEqual(controllers);
    expect(namesOfSubject({ object: {}, kind: POD_KIND, namespace: 'apps' })).toEqual([]);
  });

  it('does not believe the owner that a Pod names: anybody can write one', () => {
    const names = ['deployment-web', 'pod-web'];
    const starts = new ByNamespace(new Map([['apps', names.map((name) => ({ name, containers: [] }))]]));
    const policies = policySet(gives).withFacts({ ...NO_FACTS, starts });
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8f7c9b6d', uid: 'a', controller: true },
    ];
    const owned = pod([named('app')], {
      metadata: { ownerReferences, labels: { 'pod-template-hash': '5d8f7c9b6d' } },
    });
    expect(judged(owned, policies).inForce[0]).not.toHaveProperty('starts');
    expect(judged(deployment(named('app')), policies).inForce[0]).toHaveProperty('starts');
  });

  it('tells exceptions, the policies at fault, and why a probe is missing', () => {
    const bad = named('app', { livenessProbe: { httpGet: { path: '/', port: 'web' } } });
    const excepted = judged(deployment(bad), withExceptionsInApps(policySet(), [exceptionDocument()]));
    expect(excepted.violations.find(({ check }) => check === 'named-port')).toMatchObject({
      action: 'Excepted',
      exception: { name: 'legacy' },
    });
    const bounds = clusterPolicyDocument({
      checks: { 'probe-bounds': { action: 'Deny', readinessProbe: { periodSeconds: { maximum: 5 } } } },
    });
    const slow = policyDocument({
      kubernetesProbeEndpoints: { readinessProbe: '/ready' },
      probes: { readinessProbe: { periodSeconds: 9 } },
    });
    const { violations } = judged(deployment(named('app')), policySet(bounds, slow), true);
    expect(violations.find(({ check }) => check === 'probe-bounds')?.policy).toMatchObject({
      source: 'ProbePolicy/apps/policy',
      path: ['spec', 'probes', 'readinessProbe', 'periodSeconds'],
    });
  });

  it('names the template where a kind may have several', () => {
    const bad = named('app', { livenessProbe: { httpGet: { path: '/', port: 'web' } } });
    const template = { spec: { template: { spec: { containers: [bad] } } } };
    const jobSet = {
      apiVersion: 'jobset.x-k8s.io/v1alpha2',
      kind: 'JobSet',
      metadata,
      spec: {
        replicatedJobs: [
          { name: 'driver', template },
          { name: 'worker', template },
        ],
      },
    };
    const strictForJobs = clusterPolicyDocument({ checks: { 'named-port': { action: 'Deny' } } });
    const { violations } = judged(jobSet, policySet(strictForJobs));
    const ofPorts = violations.filter(({ check }) => check === 'named-port');
    expect(ofPorts.map(({ template: place }) => place)).toEqual([
      'spec.replicatedJobs.driver.template.spec.template',
      'spec.replicatedJobs.worker.template.spec.template',
    ]);
    const [violation] = judged(deployment(bad), policySet(strictForJobs)).violations;
    expect([violation?.check, violation?.template]).toEqual(['named-port', undefined]);
  });
});

describe('an object with more violations than a person reads', () => {
  const LIMIT = 5000;
  /** Containers that each lack a readiness probe. */
  const many = (count: number): JsonObject =>
    deployment(...Array.from({ length: count }, (_, index) => named(`c${index}`)));
  const counts = (count: number, action: string): number[] => {
    const checks = { 'required-readiness': { action }, 'required-liveness': { action: 'Audit' } };
    const { violations } = judged(many(count), policySet(clusterPolicyDocument({ checks })));
    const denials = violations.filter((violation) => violation.action === 'Deny').length;
    return [denials, violations.length - denials];
  };

  it('shows 5,000 that deny, and 5,000 others', () => {
    expect(counts(LIMIT + 1, 'Deny')).toEqual([LIMIT, LIMIT]);
    expect(counts(10, 'Deny')).toEqual([10, 10]);
    expect(counts(LIMIT / 2 + 1, 'Warn')).toEqual([0, LIMIT]);
  });
});
