import { describe, expect, it } from 'vitest';
import { cut } from '../../../src/base/text/cut.ts';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { findingsOf, runChecks } from '../../../src/engine/checks/run-checks.ts';
import { builtInPolicy, mergeChecks, type CheckPolicy } from '../../../src/engine/policy/check-policy.ts';
import { appContainer, clusterPolicyDocument, parsedPolicy, pod, policyDocument } from '../../support/worlds.ts';
import { podWith, workloadOf } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const BUILT_IN = builtInPolicy(CHECK_CATALOGUE);

/** The policy of a cluster, and above it that of a namespace, for these checks. */
const policyOf = (cluster: JsonObject = {}, namespace: JsonObject = {}): CheckPolicy =>
  mergeChecks(BUILT_IN, [
    parsedPolicy(clusterPolicyDocument({ checks: cluster })),
    parsedPolicy(policyDocument({ checks: namespace })),
  ]);

/** The violations of one check. */
const of = (check: string, object: JsonObject, policy: CheckPolicy = BUILT_IN): Violation[] =>
  runChecks(workloadOf(object), () => policy).filter((violation) => violation.check === check);

/** The same, as lines of what decides. */
const lines = (check: string, object: JsonObject, policy?: CheckPolicy): string[] =>
  of(check, object, policy).map(
    ({ action, isFloored, path, remedy = '', edits = [] }) =>
      `${action}${isFloored ? ' floored' : ''} ${formatPath(path)}: ${remedy} [${edits.length}]`,
  );

const exec = (...command: readonly string[]): JsonObject => ({ exec: { command } });
const http = { httpGet: { path: '/live', port: 'http' } };

describe('the violations of a workload', () => {
  const bad = { livenessProbe: { httpGet: { port: 'none' }, periodSeconds: 1, timeoutSeconds: 2 } };
  const both = pod([appContainer({ name: 'a', ...bad }), appContainer({ name: 'b', ...bad })]);
  const shown = new Set(['named-port', 'timeout-over-period']);
  const names = (policyFor: (container: string) => CheckPolicy): string[] =>
    runChecks(workloadOf(both), policyFor)
      .filter(({ check }) => shown.has(check))
      .map(({ check, container, action }) => `${check} ${container} ${action}`);

  it('come by check in the order of the catalogue, then by container', () =>
    expect(names(() => BUILT_IN)).toEqual([
      'named-port a Deny',
      'named-port b Deny',
      'timeout-over-period a Audit',
      'timeout-over-period b Audit',
    ]));

  it('are those of the policy of each container', () => {
    const off = policyOf({ 'named-port': { action: 'Off' }, 'timeout-over-period': { action: 'Deny' } });
    expect(names((container) => (container === 'a' ? off : BUILT_IN))).toEqual([
      'named-port b Deny',
      'timeout-over-period a Deny',
      'timeout-over-period b Audit',
    ]);
    expect(names(() => new Map())).toEqual([]);
  });

  it('have what the check found, and nothing that only the runner needs', () => {
    const { livenessProbe, ...others } = bad;
    const delayed = podWith({ ...others, livenessProbe: { ...livenessProbe, ...http, initialDelaySeconds: 30 } });
    const [violation] = of('delayed-liveness', delayed);
    expect(Object.keys(violation ?? {}).sort()).toEqual(
      ['action', 'check', 'container', 'edits', 'message', 'path', 'probe', 'remedy'].sort(),
    );
    expect(violation).toMatchObject({ action: 'Audit', container: 'app', probe: 'livenessProbe' });
  });

  it('have messages of 200 characters at most, but for the words of the API server', () => {
    const lengths: number[] = [];
    for (let length = 1; length <= 63; length++) {
      const container = appContainer({ name: 'x'.repeat(length), livenessProbe: exec('a'.repeat(80), '|', 'b') });
      const workload = workloadOf(pod([container]));
      const [found] = findingsOf(workload, () => BUILT_IN).filter(({ check }) => check.id === 'exec-shell');
      lengths.push(found?.finding.message.length ?? 0);
      expect(of('exec-shell', pod([container]))[0]?.message).toBe(cut(found?.finding.message ?? '', 200));
    }
    expect([lengths.includes(200), lengths.includes(201)]).toEqual([true, true]);
    const undecodable = { name: 'a', livenessProbe: { httpGet: { httpHeaders: [{ value: {} }] } } };
    const podSpec = { template: { spec: { ephemeralContainers: [undecodable] } } };
    const jobSet = { spec: { replicatedJobs: [{ name: 'a', template: { spec: podSpec } }] } };
    const [decoded] = of('valid-probe', { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', ...jobSet });
    expect([decoded?.remedy, decoded?.message.slice(-15)]).toEqual([undefined, ' of type string']);
    expect(decoded?.message.length).toBeGreaterThan(200);
    const name = 'x'.repeat(300);
    const [refused] = of(
      'valid-probe',
      podWith({ livenessProbe: { httpGet: { port: 1, httpHeaders: [{ name: `ä${name}` }] } } }),
    );
    expect(refused?.message.length).toBeGreaterThan(300);
  });
});

describe('advice to run a command earlier or more often', () => {
  const acts = exec('sh', '-c', 'rm -rf /data');
  const delayed = (probe: JsonObject): JsonObject =>
    podWith({ startupProbe: http, livenessProbe: { ...probe, initialDelaySeconds: 10 } });

  it('is not given where the command may act', () => {
    expect(lines('void-initial-delay', delayed(acts))).toEqual([
      'Audit spec.containers[0].livenessProbe.initialDelaySeconds: keep initialDelaySeconds: the command of the livenessProbe may have side effects ("rm") [0]',
    ]);
    for (const probe of [http, exec('pg_isready')])
      expect(lines('void-initial-delay', delayed(probe))).toEqual([
        'Audit spec.containers[0].livenessProbe.initialDelaySeconds: remove initialDelaySeconds [1]',
      ]);
  });

  it('names at most 60 characters of the command', () => {
    const effect = (length: number): unknown => {
      const script = `true > /${'x'.repeat(length - 3)}`;
      return /\((.*)\)/.exec(of('void-initial-delay', delayed(exec('sh', '-c', script)))[0]?.remedy ?? '')?.[1];
    };
    expect(effect(58)).toBe(`"> /${'x'.repeat(55)}"`);
    expect(effect(59)).toBe(`"> /${'x'.repeat(52)}..."`);
  });

  it('is given where only another probe acts, or where the command runs less often', () => {
    const other = podWith({
      startupProbe: http,
      livenessProbe: acts,
      readinessProbe: { ...http, initialDelaySeconds: 10 },
    });
    expect(lines('void-initial-delay', other)).toEqual([
      'Audit spec.containers[0].readinessProbe.initialDelaySeconds: remove initialDelaySeconds [1]',
    ]);
    expect(lines('exec-cost', podWith({ livenessProbe: { ...acts, periodSeconds: 1 } }))).toEqual([
      'Warn spec.containers[0].livenessProbe.periodSeconds: write periodSeconds: 5 or more [1]',
      'Warn spec.containers[0].livenessProbe.timeoutSeconds: write timeoutSeconds: 5 and periodSeconds: 5 [2]',
    ]);
  });

  it('is given where the command itself is corrected', () =>
    expect(lines('exec-shell', podWith({ livenessProbe: exec('rm', 'x', '&&', 'true') }))).toEqual([
      'Warn spec.containers[0].livenessProbe.exec.command[2]: write command: [sh, "-c", "rm x && true"] [1]',
    ]));

  it('is a startup probe that only asks, in place of a copy', () => {
    const remedy = (kind: string): string =>
      `write a startupProbe with a command that only asks, and keep the ${kind} as it is: the command of the ${kind} may have side effects ("rm")`;
    expect(of('delayed-liveness', podWith({ livenessProbe: { ...acts, initialDelaySeconds: 600 } }))[0]).toMatchObject({
      remedy: remedy('livenessProbe'),
    });
    expect(of('delayed-readiness', podWith({ readinessProbe: { ...acts, initialDelaySeconds: 60 } }))[0]).toMatchObject(
      {
        remedy: remedy('readinessProbe'),
      },
    );
    // The liveness probe is copied, and only the delay of readiness would go.
    const both = podWith({ livenessProbe: http, readinessProbe: { ...acts, initialDelaySeconds: 60 } });
    expect(lines('delayed-readiness', both)).toEqual([
      'Audit spec.containers[0].readinessProbe.initialDelaySeconds: keep initialDelaySeconds: the command of the readinessProbe may have side effects ("rm") [0]',
    ]);
  });
});

describe('advice to copy the handler of a probe', () => {
  const OTHERWISE = 'first correct the handler of the livenessProbe, then write a startupProbe with the same handler';
  const copied = (livenessProbe: JsonObject, more: JsonObject = {}): string => {
    const [one] = of(
      'delayed-liveness',
      podWith({ livenessProbe: { ...livenessProbe, initialDelaySeconds: 600 }, ...more }),
    );
    return `${one?.remedy === OTHERWISE ? 'first correct' : 'copy'} [${one?.edits?.length ?? 0}]`;
  };

  it('is given for a handler that works', () => {
    expect(copied(http)).toBe('copy [2]');
    expect(copied(exec('pg_isready'))).toBe('copy [2]');
  });

  it('has no edits with a part of a text that is too long', () => {
    expect(copied({ httpGet: { path: `/${'x'.repeat(4095)}`, port: 'http' } })).toBe('copy [2]');
    expect(copied({ httpGet: { path: `/${'x'.repeat(4096)}`, port: 'http' } })).toBe('copy [0]');
    // Nobody knows whether something is wrong with a command that is not read.
    expect(copied(exec('pg_isready', 'x'.repeat(5000)))).toBe('copy [0]');
  });

  it('asks to correct a handler first that another check finds wrong', () => {
    expect(copied({ httpGet: { port: 'none' } })).toBe('first correct [0]');
    expect(copied(exec('pg_isready', '|', 'cat'))).toBe('first correct [0]');
    const ports = [{ containerPort: 8080, hostPort: 8090 }];
    expect(copied({ httpGet: { port: 8090 } }, { ports })).toBe('first correct [0]');
  });

  it('is given where the handler is accepted, or where something else is wrong', () => {
    expect(copied({ httpGet: { port: 8090 } })).toBe('copy [2]');
    expect(copied({ httpGet: { path: '/metrics', port: 'http' } })).toBe('copy [2]');
    expect(copied({ ...http, timeoutSeconds: 20 })).toBe('copy [2]');
    expect(copied(http, { readinessProbe: { httpGet: { port: 'none' } } })).toBe('copy [2]');
    const wrong = appContainer({ name: 'other', livenessProbe: { httpGet: { port: 'none' } } });
    const app = appContainer({ livenessProbe: { ...http, initialDelaySeconds: 600 } });
    expect(of('delayed-liveness', pod([wrong, app])).map(({ edits }) => edits?.length)).toEqual([2]);
  });
});

describe('the level of a finding', () => {
  const note = podWith({ readinessProbe: { ...http, initialDelaySeconds: 30 } });
  const acts = podWith({ readinessProbe: { ...exec('rm', 'x'), periodSeconds: 300 } });
  const actions = (check: string, object: JsonObject, policy?: CheckPolicy): string[] =>
    of(check, object, policy).map(({ action }) => action);

  it('counts in place of the default, and drops the finding where it is Off', () => {
    expect(actions('delayed-readiness', note)).toEqual(['Audit']);
    expect(actions('delayed-readiness', podWith({ readinessProbe: { ...http, initialDelaySeconds: 60 } }))).toEqual([
      'Warn',
    ]);
    expect(actions('slow-detection', acts)).toEqual([]);
  });

  it('counts less than an action that a policy sets', () => {
    expect(actions('delayed-readiness', note, policyOf({ 'delayed-readiness': { action: 'Deny' } }))).toEqual(['Deny']);
    expect(actions('slow-detection', acts, policyOf({ 'slow-detection': { action: 'Warn' } }))).toEqual(['Warn']);
  });

  it.each([
    ['Off', ['Audit'], []],
    ['Audit', ['Audit'], ['Audit']],
    ['Deny', ['Deny'], ['Deny']],
  ])('counts unless the floor %s is stricter', (floor, ofNote, ofActs) => {
    expect(actions('delayed-readiness', note, policyOf({ 'delayed-readiness': { floor } }))).toEqual(ofNote);
    expect(actions('slow-detection', acts, policyOf({ 'slow-detection': { floor } }))).toEqual(ofActs);
  });

  it('is Audit for what is too long to be read, unless a floor is stricter', () => {
    const unread = podWith({ livenessProbe: exec('pg_isready', 'x'.repeat(5000)) });
    const strict = { 'exec-shell': { action: 'Deny' } };
    expect(of('exec-shell', unread)).toMatchObject([{ action: 'Audit', isUnread: true }]);
    expect(actions('exec-shell', unread, policyOf(strict))).toEqual(['Audit']);
    expect(actions('exec-shell', unread, policyOf({ 'exec-shell': { action: 'Deny', floor: 'Warn' } }))).toEqual([
      'Warn',
    ]);
    expect(actions('exec-shell', unread, policyOf({ 'exec-shell': { action: 'Deny', floor: 'Off' } }))).toEqual([
      'Audit',
    ]);
  });
});

describe('the parameters of a floor', () => {
  const delayed = (initialDelaySeconds: number): JsonObject =>
    podWith({ readinessProbe: { ...http, initialDelaySeconds } });
  const floor = { 'delayed-readiness': { floor: 'Deny', seconds: 50 } };
  const floored = (object: JsonObject, own?: number): unknown =>
    of(
      'delayed-readiness',
      object,
      policyOf(floor, own === undefined ? {} : { 'delayed-readiness': { seconds: own } }),
    ).map(({ isFloored = false }) => isFloored);

  it('cause findings that higher layers cannot remove', () => {
    expect(floored(delayed(90))).toEqual([true]);
    expect(floored(delayed(40))).toEqual([]);
    expect(floored(delayed(90), 100)).toEqual([true]);
    expect(of('delayed-readiness', delayed(90))[0]).not.toHaveProperty('isFloored');
  });

  it('cause a finding once, and higher layers may find more', () => {
    expect(floored(delayed(90), 10)).toEqual([true]);
    expect(floored(delayed(40), 10)).toEqual([false]);
    const two = podWith({
      readinessProbe: { ...http, periodSeconds: 300 },
      livenessProbe: { ...http, periodSeconds: 900 },
    });
    const both = policyOf(
      { 'slow-detection': { floor: 'Warn', readinessSeconds: 600 } },
      { 'slow-detection': { readinessSeconds: 90 } },
    );
    expect(of('slow-detection', two, both).map(({ isFloored, message }) => [isFloored, message.slice(-10)])).toEqual([
      [true, 'over 600 s'],
      [true, 'over 600 s'],
      [undefined, ' over 90 s'],
    ]);
  });
});

describe('the containers that a check sees', () => {
  const none = { name: 'linkerd-proxy', image: 'x' };
  const ofMesh = { ...none, readinessProbe: { httpGet: { path: '/ready', port: 4191 } } };
  const annotations = { 'linkerd.io/proxy-version': '2.14' };
  const missing = (container: JsonObject, checks: JsonObject = {}, list = 'containers'): unknown =>
    of(
      'required-liveness',
      pod([appContainer({ livenessProbe: http })], {
        metadata: { annotations },
        spec: { [list]: [appContainer({ livenessProbe: http }), container] },
      }),
      policyOf({ 'required-liveness': { action: 'Warn', containers: 'all', sidecars: true, ...checks } }),
    ).map(({ container: name }) => name);

  it('are applications and sidecars', () => {
    expect(missing({ name: 'other' })).toEqual(['other']);
    expect(missing({ name: 'other', restartPolicy: 'Always' }, {}, 'initContainers')).toEqual(['other']);
    expect(missing({ name: 'other' }, { floor: 'Deny' }, 'initContainers')).toEqual([]);
    expect(missing({ name: 'other' }, { floor: 'Deny' }, 'ephemeralContainers')).toEqual([]);
  });

  it('are those of a mesh only where a floor counts, and the mesh wrote none of its probes', () => {
    expect(missing(none)).toEqual([]);
    expect(missing(none, { floor: 'Deny' })).toEqual(['linkerd-proxy']);
    expect(missing(none, { floor: 'Off' })).toEqual([]);
    expect(missing(ofMesh, { floor: 'Deny' })).toEqual([]);
  });

  it('are all containers where the check says so', () => {
    const init = pod([appContainer()], {
      spec: { initContainers: [{ name: 'init', image: 'x', livenessProbe: http }] },
    });
    expect(of('valid-probe', init).map(({ container }) => container)).toEqual(['init']);
  });
});
