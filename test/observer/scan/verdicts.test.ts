import { pino, type Logger } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { ExtraResults, resultOfWarning } from '../../../src/observer/reports/report-result.ts';
import { OBSERVED_POD, type ObservedKind } from '../../../src/observer/observed-workload.ts';
import {
  judgeLive,
  recordOf,
  unknownControllers,
  Verdicts,
  type ScanDependencies,
  type WorkloadRecord,
} from '../../../src/observer/scan/verdicts.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { deployment } from '../observed-cluster.ts';
import { DEPLOYMENT, observedKind } from '../observed-kinds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ReportContent } from '../../../src/observer/reports/report-object.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const RUN = { id: 'run', now: NOW };
const named = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };

let current: Snapshot | undefined;
let exempt: Set<string>;
let extraResults: ExtraResults;
let enforcement: 'Deny' | 'Warn';
let missed: string | undefined;
let heard: string[];
let records: WorkloadRecord[];
let logged: Record<string, unknown>[];
let verdicts: Verdicts;

const logTo = (lines: Record<string, unknown>[]): Logger =>
  pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line) as JsonObject) });

beforeEach(() => {
  [current, exempt, extraResults, heard, records, logged] = [policySet(), new Set(), new ExtraResults(), [], [], []];
  [enforcement, missed] = ['Deny', undefined];
  const dependencies = {
    log: logTo(logged),
    store: {
      get current() {
        return current;
      },
    },
    isExempt: (namespace: string) => exempt.has(namespace),
    failing: new FailingWorkloads(),
    extraResults,
    inForce: { missedVerdict: () => missed },
    settings: {
      get enforcement() {
        return enforcement;
      },
      addsProbes: true,
    },
  } as unknown as ScanDependencies;
  verdicts = new Verdicts(dependencies, {
    changed: (record) => {
      records.push(record);
      heard.push(`changed ${record.workload.uid}`);
    },
    gone: (namespace, uid) => void heard.push(`gone ${namespace} ${uid}`),
  });
});

/** A Deployment whose readiness probe names a port that is not there, or is there. */
function web(metadata: JsonObject = {}, port = 'htpp'): KubernetesObject {
  const given = deployment('web', port) as KubernetesObject;
  return { ...given, metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '7', ...metadata } };
}
function contentOf(object: KubernetesObject, kind: ObservedKind): ReportContent | undefined {
  const taken = verdicts.take(object, kind, RUN);
  return taken === 'outdated' ? expect.fail('the object is outdated') : taken;
}
const take = (object: KubernetesObject, kind: ObservedKind = DEPLOYMENT): readonly string[] | undefined =>
  contentOf(object, kind)?.results.map(({ rule, result }) => `${rule} ${result}`);

describe('the verdict of a workload', () => {
  it('has its findings, is recorded, and is told once', () => {
    expect(take(web())).toEqual(['named-port fail']);
    expect(take(web({ resourceVersion: '8' }))).toEqual(['named-port fail']);
    expect(heard).toEqual(['changed u']);
    const record = recordOf(verdicts.records, named);
    expect(record).toMatchObject({
      workload: { ...named, apiVersion: 'apps/v1', uid: 'u' },
      isClean: false,
      version: 8,
      findings: [{ rule: 'named-port', action: 'Deny' }],
    });
    expect(records[0]).toMatchObject({ version: 7, digest: record?.digest });
  });

  it.each<[what: string, spec: JsonObject, message: string]>([
    [
      'has 301 containers',
      { containers: Array.from({ length: 301 }, (_, index) => ({ name: `c${index}` })) },
      'the object has 301 containers: more than 300 are not looked at',
    ],
    [
      'is longer than a review may be',
      { containers: [{ name: 'a', args: ['<'.repeat(1_300_000)] }] },
      'the request has more than 7 MiB, in which each "<", ">" and "&" takes six bytes, and is not looked at; make the object smaller',
    ],
  ])('names a workload that %s, in the words of /validate', (_, spec, message) => {
    const large = { ...web(), spec: { template: { spec } } } as KubernetesObject;
    expect(contentOf(large, DEPLOYMENT)?.results).toMatchObject([
      { rule: 'valid-probe', result: 'fail', message: `spec: ${message}`, properties: { action: 'Deny' } },
    ]);
    expect(recordOf(verdicts.records, named)?.findings).toEqual([{ rule: 'valid-probe', action: 'Deny' }]);
  });

  it('has what was stored without a verdict: in the report, in the record and in the log', () => {
    missed = 'without a verdict at noon';
    expect(contentOf(web(), DEPLOYMENT)?.results[0]?.properties).toMatchObject({
      action: 'Deny',
      stored: missed,
    });
    expect(recordOf(verdicts.records, named)?.findings).toEqual([
      { rule: 'named-port', action: 'Deny', stored: 'without-verdict' },
    ]);
    expect(logged).toMatchObject([{ msg: 'violation', stored: missed }]);
  });

  it('says nothing of this about a ready-made kind, which the webhook does not see', () => {
    missed = 'without a verdict at noon';
    const results = contentOf(web(), observedKind('argoproj.io/v1alpha1', 'Rollout'))?.results;
    expect(results?.map(({ properties }) => [properties['action'], properties['stored']])).toEqual([
      ['Deny', undefined],
    ]);
  });

  it('says nothing of this about what would not be denied, or was excepted', () => {
    missed = 'without a verdict at noon';
    enforcement = 'Warn';
    const stored = (): unknown =>
      contentOf(web(), DEPLOYMENT)?.results.map(({ properties }) => [properties['action'], properties['stored']]);
    expect(stored()).toEqual([['Warn', undefined]]);
    enforcement = 'Deny';
    const expires = new Date(NOW - 1000).toISOString();
    const ended = parsedException(exceptionDocument({ expires }, { namespace: 'shop' }));
    current = policySet().withFacts({ ...NO_FACTS, exceptions: new ByNamespace(new Map([['shop', [ended]]])) });
    expect(stored()).toEqual([['Deny', undefined]]);
  });

  it('is clean without findings, and changes with the object', () => {
    expect(take(web({}, 'http'))).toEqual([]);
    expect(take(web({ resourceVersion: '8' }))).toEqual(['named-port fail']);
    expect(records.map(({ isClean }) => isClean)).toEqual([true, false]);
    expect(logged.map(({ msg, check }) => [msg, check])).toEqual([['violation', 'named-port']]);
  });

  it('counts what the observer found about its Pods', () => {
    extraResults.replace('missed', [[named, [resultOfWarning('a finding about Pods')]]]);
    expect(take(web({}, 'http'))).toEqual(['annotation error']);
    expect(records[0]).toMatchObject({ isClean: false, findings: [] });
  });

  it('advises a restart in the report, and what works while the rollouts are paused', () => {
    const fixOf = (object: KubernetesObject): unknown =>
      contentOf(object, DEPLOYMENT)
        ?.results.map(({ properties: { fix } }) => fix)
        .find((fix) => fix !== undefined);
    const missedPod = resultOfWarning('a finding about Pods');
    const properties = { fix: 'kubectl rollout restart deployment/web -n shop' };
    extraResults.replace('missed', [[named, [{ ...missedPod, properties }]]]);
    const object = web({}, 'http') as KubernetesObject & { spec: object };
    expect(fixOf(object)).toBe(properties.fix);
    expect(fixOf({ ...object, spec: { ...object.spec, paused: true } } as KubernetesObject)).toMatch(/^It is paused/);
  });

  it('says nothing about a longer start where the endpoint of the container gives a wrong answer now', () => {
    const object = web({}, 'http') as unknown as { spec: { template: { spec: { containers: JsonObject[] } } } };
    const [app] = object.spec.template.spec.containers;
    const startupProbe = { tcpSocket: { port: 'http' }, periodSeconds: 10, failureThreshold: 5 };
    object.spec.template.spec.containers = [{ ...app, startupProbe }];
    const own = { name: String(app?.['name']), starts: 3, longestSeconds: 90, boundSeconds: 0 };
    const starts = new ByNamespace(new Map([['shop', [{ name: 'deployment-web', containers: [own] }]]]));
    current = policySet().withFacts({ ...NO_FACTS, starts });
    const rules = (cause: string) => {
      const failing = resultOfWarning(cause);
      const properties = { cause, container: own.name };
      extraResults.replace('failing', [[named, [{ ...failing, rule: cause, properties }]]]);
      return take(object as unknown as KubernetesObject);
    };
    expect(rules('timeout')).toEqual(['timeout error', 'observed-startup warn']);
    expect(rules('http-404')).toEqual(['http-404 error']);
  });

  it('has an annotation that cannot be read as a warning, except for a Pod, whose template has it', () => {
    const annotations = { 'probewright.dev/startup-seconds': 'soon' };
    const template = (deployment('web', 'http') as { spec: { template: JsonObject } }).spec.template;
    const annotated = { ...template, metadata: { labels: {}, annotations } };
    const object = { ...web(), spec: { selector: {}, template: annotated } } as unknown as KubernetesObject;
    expect(take(object)).toContain('annotation error');
    expect(records[0]?.findings).toContainEqual({ rule: 'annotation', action: 'Warn' });
    const pod = { metadata: { name: 'p', namespace: 'shop', uid: 'p', annotations }, spec: template['spec'] };
    expect(take(pod, OBSERVED_POD)).toEqual([]);
  });

  it('counts the checks that found nothing, without those that are off', () => {
    const passed = (): number | undefined => contentOf(web(), DEPLOYMENT)?.summary.pass;
    const before = passed() ?? 0;
    expect(before).toBeGreaterThan(10);
    current = policySet(policyDocument({ checks: { 'exec-cost': { action: 'Off' } } }, 'lax', 'shop'));
    expect(passed()).toBe(before - 1);
    current = policySet(policyDocument({ checks: { 'named-port': { action: 'Off' } } }, 'lax', 'shop'));
    // The check that is violated has not passed before, either.
    expect(passed()).toBe(before);
  });

  it('is at most as strict as the enforcement', () => {
    enforcement = 'Warn';
    expect(take(web())).toEqual(['named-port warn']);
    expect(records[0]?.findings).toEqual([{ rule: 'named-port', action: 'Warn' }]);
  });

  it('has the policy of the template that each finding is in', () => {
    const spec = {
      workloadSelector: { matchLabels: { role: 'worker' } },
      checks: { 'named-port': { action: 'Warn' } },
    };
    current = policySet(policyDocument(spec, 'workers', 'shop'));
    const { template } = (deployment('web') as { spec: { template: { spec: object } } }).spec;
    const job = (role: string): JsonObject => ({
      name: role,
      template: { spec: { template: { metadata: { labels: { role } }, spec: template.spec } } },
    });
    const object = {
      metadata: { name: 'set', namespace: 'shop', uid: 's' },
      spec: { replicatedJobs: ['leader', 'worker'].map(job) },
    };
    const results = contentOf(object, observedKind('jobset.x-k8s.io/v1alpha2', 'JobSet'))?.results ?? [];
    expect(
      results
        .filter(({ rule }) => rule === 'named-port')
        .map(({ policy, properties }) => [policy, properties['template']]),
    ).toEqual([
      ['probewright', 'spec.replicatedJobs.leader.template.spec.template'],
      ['ProbePolicy/shop/workers', 'spec.replicatedJobs.worker.template.spec.template'],
    ]);
  });

  it('has the policy of the only template also for a finding outside of it', () => {
    const spec = {
      workloadSelector: { matchLabels: { app: 'web' } },
      checks: { 'progress-deadline': { action: 'Deny' } },
    };
    current = policySet(policyDocument(spec, 'strict', 'shop'));
    const { template } = (deployment('web', 'http') as { spec: { template: { spec: { containers: JsonObject[] } } } })
      .spec;
    const startupProbe = { httpGet: { path: '/live', port: 'http' }, failureThreshold: 60 };
    const containers = template.spec.containers.map((container) => ({ ...container, startupProbe }));
    const object = { ...web(), spec: { template: { ...template, spec: { containers } } } } as KubernetesObject;
    const results = contentOf(object, DEPLOYMENT)?.results ?? [];
    expect(results.map(({ rule, policy }) => [rule, policy])).toContainEqual([
      'progress-deadline',
      'ProbePolicy/shop/strict',
    ]);
  });
});

describe('no verdict', () => {
  it('is there before policies have been read, nor for an object without a namespace or a UID', () => {
    expect(take(web({ namespace: undefined }))).toBeUndefined();
    expect(take(web({ uid: undefined }))).toBeUndefined();
    current = undefined;
    expect(take(web())).toBeUndefined();
    expect([heard, verdicts.records.size]).toEqual([[], 0]);
  });

  it('is made of an object of a controller', () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }];
    expect(take(web({ ownerReferences }), observedKind('apps/v1', 'ReplicaSet'))).toBeUndefined();
    expect(verdicts.records.size).toBe(0);
    expect(take(web(), observedKind('apps/v1', 'ReplicaSet'))).toEqual(['named-port fail']);
  });

  it('stays of an object that a controller has adopted', () => {
    const job = observedKind('batch/v1', 'Job');
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'web', uid: 'c', controller: true }];
    take(web(), job);
    expect(take(web({ ownerReferences, resourceVersion: '8' }), job)).toBeUndefined();
    expect([heard, verdicts.records.size]).toEqual([['changed u', 'gone shop u'], 0]);
  });

  it('is made of an object that is older than the judged one', () => {
    take(web({ resourceVersion: '9' }));
    expect(verdicts.take(web({ resourceVersion: '8' }, 'http'), DEPLOYMENT, RUN)).toBe('outdated');
    expect(take(web({ resourceVersion: '9' }, 'http'))).toEqual([]);
    expect(take(web({ resourceVersion: 'x' }))).toEqual(['named-port fail']);
    expect(heard).toEqual(['changed u', 'changed u', 'changed u']);
  });

  it('stays of a workload that is being deleted', () => {
    take(web());
    expect(take(web({ deletionTimestamp: '2026-07-01T00:00:00Z', resourceVersion: '8' }))).toBeUndefined();
    expect([heard, verdicts.records.size]).toEqual([['changed u', 'gone shop u'], 0]);
  });

  it('stays of an earlier workload of the same name, whatever its version', () => {
    take(web({ resourceVersion: '9' }));
    expect(take(web({ uid: 'v', resourceVersion: '8' }))).toEqual(['named-port fail']);
    expect(heard).toEqual(['changed u', 'gone shop u', 'changed v']);
    expect(recordOf(verdicts.records, named)?.workload.uid).toBe('v');
  });

  it('stays in an exempt namespace, and its end is told once', () => {
    take(web());
    expect(verdicts.isExemptionOver()).toBe(false);
    exempt.add('shop');
    expect(take(web())).toBeUndefined();
    expect([heard, verdicts.records.size]).toEqual([['changed u', 'gone shop u'], 0]);
    expect(verdicts.isExemptionOver()).toBe(false);
    exempt.delete('shop');
    expect([verdicts.isExemptionOver(), verdicts.isExemptionOver()]).toEqual([true, false]);
  });

  it('is forgotten with a later workload of the same name', () => {
    take(web({ uid: 'v' }));
    const later = recordOf(verdicts.records, named)?.workload;
    verdicts.forget({ apiVersion: 'apps/v1', ...named, uid: 'u' });
    expect([heard, verdicts.records.size]).toEqual([['changed v'], 1]);
    verdicts.forget(later ?? { apiVersion: '', ...named, uid: '' });
    verdicts.forget({ apiVersion: 'apps/v1', ...named, uid: 'v' });
    expect([heard, verdicts.records.size]).toEqual([['changed v', 'gone shop v'], 0]);
  });
});

describe('the log of findings', () => {
  it('has all that helps to find the place', () => {
    take(web());
    expect(logged).toEqual([
      {
        level: 30,
        scan: 'run',
        namespace: 'shop',
        kind: 'Deployment',
        name: 'web',
        container: 'app',
        probe: 'readinessProbe',
        check: 'named-port',
        action: 'Deny',
        result: 'fail',
        policy: 'probewright',
        message: expect.stringContaining('declares no port named "htpp"') as string,
        msg: 'violation',
      },
    ]);
  });

  it('has at most 50 findings of a workload', () => {
    const { spec } = (deployment('web') as { spec: { template: { spec: { containers: JsonObject[] } } } }).spec
      .template;
    const withContainers = (count: number): KubernetesObject => {
      const containers = Array.from({ length: count }, (_, index) => ({ ...spec.containers[0], name: `c-${index}` }));
      return {
        ...web({ uid: `${count}` }),
        spec: { template: { spec: { containers } } },
      } as unknown as KubernetesObject;
    };
    const of = (count: number): number => {
      logged.length = 0;
      take(withContainers(count));
      return logged.length;
    };
    expect([of(3), of(50), of(51)]).toEqual([3, 50, 50]);
  });

  it('names a controller that Kubernetes does not have', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'o', controller: true }];
    take(web({ ownerReferences }, 'http'));
    expect(logged).toMatchObject([
      { level: 40, kind: 'Deployment', owner: 'v1/ConfigMap', namespace: 'shop', name: 'web' },
    ]);
  });
});

describe('unknown controllers', () => {
  const object = (kind: string, apiVersion = 'v1'): KubernetesObject => {
    const ownerReferences = [{ apiVersion, kind, name: 'o', uid: 'o', controller: true }];
    return { metadata: { name: 'p', namespace: 'shop', ownerReferences } as KubernetesObject['metadata'] };
  };
  const note = (): ((object: KubernetesObject, kind: string) => void) => unknownControllers(logTo(logged));

  it('are named once for each pair of kinds', () => {
    const noted = note();
    for (const kind of ['Pod', 'Pod', 'Job']) noted(object('ConfigMap'), kind);
    expect(logged.map(({ kind, owner }) => [kind, owner])).toEqual([
      ['Pod', 'v1/ConfigMap'],
      ['Job', 'v1/ConfigMap'],
    ]);
  });

  it('are not the known ones, and not objects without a controller', () => {
    const noted = note();
    noted(object('ReplicaSet', 'apps/v1'), 'Pod');
    noted({ metadata: { name: 'p' } }, 'Pod');
    expect(logged).toEqual([]);
  });

  it('are named up to 100 pairs, with at most 253 characters', () => {
    const noted = note();
    for (let index = 0; index < 101; index++) noted(object(`Kind${index}`), 'Pod');
    expect(logged).toHaveLength(100);
    logged.length = 0;
    const other = note();
    other(object('K'.repeat(250)), 'Pod');
    other(object('K'.repeat(251)), 'Pod');
    expect(logged.map(({ owner }) => String(owner).slice(-4))).toEqual(['KKKK', 'K...']);
    expect(logged.map(({ owner }) => String(owner).length)).toEqual([253, 253]);
  });
});

describe('a live object', () => {
  const settings = { enforcement: 'Deny', addsProbes: true } as const;
  const injecting = policySet(
    policyDocument(
      {
        port: 'http',
        kubernetesProbeEndpoints: { livenessProbe: '/livez' },
        checks: { 'required-liveness': { action: 'Warn' } },
      },
      'p',
      'shop',
    ),
  );
  const checksOf = (object: KubernetesObject, kind: ObservedKind, addsProbes = true): unknown =>
    judgeLive(object, kind, injecting, { ...settings, addsProbes }, NOW)?.violations.map(({ check }) => check);

  it('is judged with the probes that its Pods will get, and a Pod without them', () => {
    const [object] = [web({}, 'http')];
    expect(checksOf(object, DEPLOYMENT)).not.toContain('required-liveness');
    expect(checksOf(object, DEPLOYMENT, false)).toContain('required-liveness');
    const { template } = (deployment('web', 'http') as { spec: { template: object } }).spec;
    const pod = { ...template, metadata: { name: 'p', namespace: 'shop', uid: 'p' } };
    expect(checksOf(pod, OBSERVED_POD)).toContain('required-liveness');
  });

  it('has its type again, which lists leave out', () => {
    const { object, pods } = judgeLive(web(), DEPLOYMENT, policySet(), settings, NOW) ?? {};
    expect(object).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });
    expect(pods).toHaveLength(1);
  });

  it('is not looked at without a Pod template', () => {
    expect(judgeLive({ metadata: { name: 'web' } }, DEPLOYMENT, policySet(), settings, NOW)).toBeUndefined();
    expect(judgeLive(web({ namespace: undefined }), DEPLOYMENT, policySet(), settings, NOW)).toBeDefined();
  });
});
