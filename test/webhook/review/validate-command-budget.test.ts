import { describe, expect, it } from 'vitest';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { validate } from '../../support/decisions.ts';
import { NOW } from '../../support/now.ts';
import {
  VALIDATE_SETTINGS,
  appContainer,
  clusterPolicyDocument,
  deploymentOf,
  pod,
  policyDocument,
  policySet,
  requestOf,
  reviewOf,
  subjectOf,
} from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const KINDS = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const CHECK = 'exec-always-true';
const FLOOR = policySet(clusterPolicyDocument({ checks: { [CHECK]: { action: 'Deny', floor: 'Deny' } } }));

const exec = (script: string): JsonObject => ({ exec: { command: ['sh', '-c', script] }, timeoutSeconds: 5 });
const BAD = 'pg_isready || true';
const app = (script: string, members: JsonObject = {}): JsonObject =>
  appContainer({ livenessProbe: exec(script), ...members });
const long = (text: string): string => `check ${text} ${'a;'.repeat(2000)}`;
/** A container whose command takes so many characters of the budget. No word is longer than checks read. */
function filler(length: number): JsonObject {
  const words = Array<string>(Math.floor(length / 4096)).fill('a'.repeat(4096));
  return appContainer({ name: 'filler', livenessProbe: { exec: { command: [...words, 'b'.repeat(length % 4096)] } } });
}

/** Containers in front of the application, with three long scripts each. They leave no room for another command. */
const padding = (count: number): JsonObject[] => [
  filler(16_380),
  ...Array.from({ length: count }, (_, index) => {
    const probes = KINDS.map((kind) => [kind, exec(long(`${index}-${kind}`))] as const);
    return appContainer({ name: `pad${index}`, ...Object.fromEntries(probes) });
  }),
];
const deployment = (...containers: JsonObject[]): JsonObject => deploymentOf(pod(containers));

/** The violations of the check in the application container, each with its action and what it says. */
function verdict(object: JsonObject, oldObject?: JsonObject, policies = FLOOR): string[] {
  const change = oldObject && { operation: 'UPDATE', oldObject };
  const decision = validate(requestOf(reviewOf(object, change)), policies, VALIDATE_SETTINGS, NOW);
  return (decision.violations ?? [])
    .filter(isOfApp)
    .map(({ action, isUnread }) => `${action}${isUnread ? ' unread' : ''}`);
}

const isOfApp = ({ check, container }: Violation): boolean => check === CHECK && container === 'app';

describe('a Deployment that violates a floor', () => {
  it('is denied', () => expect(verdict(deployment(app(BAD)))).toEqual(['Deny']));

  it('is denied behind 100 containers of three scripts, in plain words', () => {
    const object = deployment(...padding(100), app(BAD));
    expect(verdict(object)).toEqual(['Deny unread']);
    const decision = validate(requestOf(reviewOf(object)), FLOOR, VALIDATE_SETTINGS, NOW);
    expect(decision.reply.response.allowed).toBe(false);
    expect(decision.reply.response.status?.message).toContain(
      `the command of the livenessProbe of container "pad99" is too long to be checked; write it into a file of the image (${CHECK})`,
    );
  });

  it('is denied with a script that is longer than checks read', () =>
    expect(verdict(deployment(app(`: ${'#'.repeat(5000)}\n${BAD}`)))).toEqual(['Deny unread']));

  it('is denied when the padding is taken out again', () =>
    expect(verdict(deployment(app(BAD)), deployment(...padding(100), app(BAD)))).toEqual(['Deny']));

  it('is denied when a stored one gets padding, because nobody can tell what is behind it', () => {
    expect(verdict(deployment(app(BAD, { image: 'b' })), deployment(app(BAD)))).toEqual(['Warn']);
    expect(verdict(deployment(...padding(100), app(BAD)), deployment(app(BAD)))).toEqual(['Deny unread']);
  });

  it('is denied when one unread script replaces another', () => {
    const old = deployment(...padding(100), app('pg_isready'));
    expect(verdict(deployment(...padding(100), app('pg_isready', { image: 'b' })), old)).toEqual(['Warn unread']);
    expect(verdict(deployment(...padding(100), app(BAD)), old)).toEqual(['Deny unread']);
  });

  it('is denied when only the old object is padded, and a policy of the namespace sets parameters', () => {
    const tenant = policyDocument({ checks: { [CHECK]: { action: 'Warn' } } });
    const floor = clusterPolicyDocument({ checks: { [CHECK]: { action: 'Deny', floor: 'Deny' } } });
    const old = deployment(...padding(100), app(BAD));
    expect(verdict(deployment(app(BAD)), old, policySet(floor, tenant))).toEqual(['Deny']);
  });
});

describe('the budget of commands', () => {
  it('makes a note of what is not read where no floor counts, also for a policy that denies', () => {
    const deny = policySet(policyDocument({ checks: { [CHECK]: { action: 'Deny' } } }));
    expect(verdict(deployment(...padding(100), app(BAD)), undefined, deny)).toEqual(['Audit unread']);
  });

  it('is 16,384 characters of all commands, in the order of the object; an operator counts as eight more', () => {
    const rest = 16_384 - 'sh-c'.length - 8 * '||'.length;
    const object = (length: number): JsonObject => deployment(filler(length), app(BAD));
    expect(verdict(object(rest - BAD.length))).toEqual(['Deny']);
    expect(verdict(object(rest - BAD.length + 1))).toEqual(['Deny unread']);
    expect(verdict(deployment(app(BAD), filler(16_000)))).toEqual(['Deny']);
  });

  it('counts equal commands once', () => {
    const same = Array.from({ length: 100 }, (_, index) => app(long('same'), { name: `same${index}` }));
    expect(verdict(deployment(...same, app(BAD)))).toEqual(['Deny']);
  });

  it('holds for all templates of an object together', () => {
    const template = (containers: JsonObject[]): JsonObject => ({ spec: { template: { spec: { containers } } } });
    const jobs = [...padding(6).map((one) => [one]), [app(BAD)]];
    const replicatedJobs = jobs.map((containers, index) => ({ name: `j${index}`, template: template(containers) }));
    const object = {
      apiVersion: 'jobset.x-k8s.io/v1alpha2',
      kind: 'JobSet',
      metadata: { name: 'j' },
      spec: { replicatedJobs },
    };
    expect(verdict(object)).toEqual(['Deny unread']);
  });

  it('gives the same verdict in commands as in the webhook', () => {
    const object = deployment(...padding(100), app(BAD));
    const offline = judgeObject(subjectOf(object), FLOOR, true, NOW).violations;
    const online = validate(requestOf(reviewOf(object)), FLOOR, VALIDATE_SETTINGS, NOW).violations;
    expect(offline).toEqual(online);
  });
});

it('an object with more than 100 Pod templates is refused: each takes time, also without containers', () => {
  const jobSet = (count: number): JsonObject => ({
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name: 'jobs', namespace: 'apps' },
    spec: {
      replicatedJobs: Array.from({ length: count }, (_, index) => ({
        name: `j${index}`,
        template: { spec: { template: { spec: {} } } },
      })),
    },
  });
  const answer = (count: number): string | undefined =>
    validate(requestOf(reviewOf(jobSet(count))), FLOOR, VALIDATE_SETTINGS, NOW).reply.response.status?.message;
  expect(answer(100)).toBeUndefined();
  expect(answer(101)).toBe('spec: the object has 101 Pod templates: more than 100 are not looked at (valid-probe)');
});
