import { describe, expect, it } from 'vitest';
import { withEdits } from '../../../src/base/json/field-path.ts';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { toleranceOf } from '../../../src/engine/verdict/ratchet.ts';
import { exceptionDocument, withExceptionsInApps } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import {
  appContainer,
  clusterPolicyDocument,
  deploymentOf,
  pod,
  policyDocument,
  policySet,
  subjectOf,
} from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const get = (port: unknown): JsonObject => ({ httpGet: { path: '/', port } });
const deployment = (...containers: JsonObject[]): JsonObject => ({
  ...deploymentOf(pod(containers)),
  metadata: { name: 'web', namespace: 'apps' },
});
const app = (probes: JsonObject = {}, name = 'app'): JsonObject => appContainer({ name, ...probes });

interface Update {
  readonly policies?: Snapshot;
  readonly changesTemplate?: boolean;
  readonly defaulted?: boolean;
  readonly now?: number;
}

/** The violations that an update adds, as `check container`. Without an old object, it is a creation. */
function added(object: JsonObject, old: JsonObject | undefined, update: Update = {}): string[] {
  const { policies = policySet(), changesTemplate = true, defaulted = false, now = NOW } = update;
  const judgement = judgeObject(subjectOf(object), policies, defaulted, now);
  const before = old === undefined ? undefined : subjectOf(old);
  const isTolerated = toleranceOf({ judgement, object, old: before, changesTemplate }, policies, defaulted, now);
  const denials = judgement.violations.filter(({ action }) => action === 'Deny');
  return denials.filter((violation) => !isTolerated(violation)).map(({ check, container }) => `${check} ${container}`);
}

const bad = app({ livenessProbe: get('web') });
const good = app({ livenessProbe: get('http') });

describe('an update', () => {
  it('adds the violations that the object did not have before', () => {
    expect(added(deployment(bad), deployment(good))).toEqual(['named-port app']);
    expect(added(deployment(bad), deployment(bad))).toEqual([]);
    expect(added(deployment(app({ livenessProbe: get('other') })), deployment(bad))).toEqual([]);
    expect(added(deployment(bad, app({ livenessProbe: get('web') }, 'b')), deployment(bad))).toEqual(['named-port b']);
  });

  it('that is a creation adds all of its violations', () =>
    expect(added(deployment(bad), undefined)).toEqual(['named-port app']));

  it('that leaves the object as it is adds nothing', () => {
    const same = deployment(bad);
    expect(added(same, same)).toEqual([]);
  });

  it('of the template adds a violation whose exception has ended', () => {
    const policies = withExceptionsInApps(policySet(), [exceptionDocument()]);
    const ended = { policies, now: Date.UTC(2026, 7, 2) };
    expect(added(deployment(bad), deployment(bad), ended)).toEqual(['named-port app']);
    expect(added(deployment(bad), deployment(bad), { ...ended, changesTemplate: false })).toEqual([]);
    expect(added(deployment(bad), deployment(bad), { policies })).toEqual([]);
  });
});

describe('a floor', () => {
  const floor = clusterPolicyDocument({
    checks: { 'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] } },
  });
  const exec = (program: string): JsonObject => app({ livenessProbe: { exec: { command: [program, 'localhost'] } } });

  it('tolerates what its own parameters forbade before, also beside probes of a namespace', () => {
    const gives = policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/ready' } });
    for (const policies of [policySet(floor), policySet(floor, gives)]) {
      const update = { policies, defaulted: true };
      expect(added(deployment(exec('curl')), deployment(exec('curl')), update)).toEqual([]);
      expect(added(deployment(exec('curl')), deployment(exec('wget')), update)).toEqual(['exec-forbidden app']);
    }
  });

  it('does not tolerate a violation that only a probe of the namespace caused before', () => {
    const bounds = { action: 'Deny', floor: 'Warn', readinessProbe: { periodSeconds: { minimum: 10 } } };
    const platform = clusterPolicyDocument({ checks: { 'probe-bounds': bounds } });
    const own = policyDocument({
      kubernetesProbeEndpoints: { readinessProbe: '/ready' },
      probes: { readinessProbe: { periodSeconds: 5 } },
    });
    const written = app({ readinessProbe: { ...get('http'), periodSeconds: 5 } });
    const update = { policies: policySet(platform, own), defaulted: true };
    expect(added(deployment(app()), undefined, update)).toEqual(['probe-bounds app']);
    expect(added(deployment(written), deployment(app()), update)).toEqual(['probe-bounds app']);
    expect(added(deployment(written), deployment(written), update)).toEqual([]);
  });

  it('does not tolerate a violation that only the parameters of a namespace found before', () => {
    const own = policyDocument({ checks: { 'exec-forbidden': { names: ['wget'] } } });
    const policies = policySet(floor, own);
    expect(added(deployment(exec('curl')), deployment(exec('wget')), { policies })).toEqual(['exec-forbidden app']);
  });
});

describe('a command that nobody could read', () => {
  const script = (text: string): JsonObject =>
    app({ livenessProbe: { exec: { command: ['sh', '-c', `${'a'.repeat(70_000)}${text}`] } } });
  const policies = policySet(
    clusterPolicyDocument({ checks: { 'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] } } }),
  );

  it('is tolerated as long as its text is the same', () => {
    const old = deployment(script('1'));
    const same = withEdits(old, [{ path: ['spec', 'replicas'], value: 3 }]);
    expect(added(same, undefined, { policies })).not.toEqual([]);
    expect(added(same, old, { policies })).toEqual([]);
    expect(added(deployment(script('2')), old, { policies })).toEqual(added(same, undefined, { policies }));
  });
});
