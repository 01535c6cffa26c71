import { describe, expect, it } from 'vitest';
import { mutate, validate } from '../../support/decisions.ts';
import { exceptionDocument, EXCEPTION_END, withExceptionsInApps } from '../../support/exceptions.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { policySet, requestOf, reviewOf, VALIDATE_SETTINGS } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const END = Date.parse(EXCEPTION_END);
const DAY = 24 * 3600_000;
const policies = withExceptionsInApps(policySet(), [exceptionDocument()]);

function deployment(template: JsonObject = {}, metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const container = {
    name: 'app',
    image: 'i:1',
    readinessProbe: { httpGet: { path: '/', port: 'htpp' } },
    ...template,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps', ...metadata },
    spec: { template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } }, ...spec },
  };
}

interface Answer {
  readonly result: string;
  readonly warnings: readonly string[];
  readonly message: string | undefined;
  readonly audit: string | undefined;
}

function answerTo(object: JsonObject, now: number, oldObject?: JsonObject, snapshot: Snapshot = policies): Answer {
  const request = requestOf(reviewOf(object, oldObject === undefined ? {} : { operation: 'UPDATE', oldObject }));
  const decision = validate(request, snapshot, VALIDATE_SETTINGS, now);
  expectValidReply('validate', request.uid, decision.reply);
  const { warnings = [], status, auditAnnotations } = decision.reply.response;
  return { result: decision.result, warnings, message: status?.message, audit: auditAnnotations?.['violations'] };
}

const EXCEPTED = `named-port app.readinessProbe Excepted by legacy (team-a) until ${EXCEPTION_END}`;

describe('/validate with an exception', () => {
  it('allows the excepted violation, and records the exception', () =>
    expect(answerTo(deployment(), END - 15 * DAY)).toEqual({
      result: 'allow',
      warnings: [],
      message: undefined,
      audit: EXCEPTED,
    }));

  it('warns in the last 14 days', () => {
    const warning =
      'spec.template.spec.containers[0].readinessProbe.httpGet.port: ProbeException legacy (owner team-a) allows this ' +
      `until ${EXCEPTION_END} only (named-port)`;
    const expected = { result: 'warn', warnings: [warning], message: undefined, audit: EXCEPTED };
    expect(answerTo(deployment(), END - 14 * DAY)).toEqual(expected);
    expect(answerTo(deployment(), END - 1)).toEqual(expected);
    expect(answerTo(deployment({}, { labels: { a: 'b' } }), END - 1, deployment())).toEqual(expected);
  });

  it('denies a new object from the end on, and names the exception', () => {
    const { result, message } = answerTo(deployment(), END);
    expect({ result, message }).toEqual({
      result: 'deny',
      message: expect.stringContaining(`ProbeException legacy ended at ${EXCEPTION_END} (named-port)`) as string,
    });
  });

  it('only warns about an existing object whose template stays', () => {
    for (const update of [
      deployment({}, { labels: { a: 'b' } }),
      deployment({}, {}, { minReadySeconds: 5 }),
      deployment({}, {}, { replicas: 9 }),
    ]) {
      const { result, warnings } = answerTo(update, END, deployment());
      expect({ result, warnings }).toEqual({
        result: 'warn',
        warnings: [expect.stringContaining(`ProbeException legacy ended at ${EXCEPTION_END} (named-port)`)],
      });
    }
  });

  it('denies the next changed template, judged at the same instant as the old one', () => {
    const changed = deployment({ image: 'i:2' });
    expect(answerTo(changed, END - 1, deployment()).result).toBe('warn');
    expect(answerTo(changed, END, deployment()).result).toBe('deny');
    expect(answerTo(deployment({ image: 'i:2', readinessProbe: null }), END, deployment()).result).not.toBe('deny');
  });

  it('skips an unchanged object in a namespace whose exceptions do not speak of it', () => {
    const other = withExceptionsInApps(policySet(), [exceptionDocument({ workloads: [{ kind: 'Job', name: 'x' }] })]);
    expect(answerTo(deployment({}, { labels: { a: 'b' } }), END, deployment(), other).result).toBe('skip');
  });

  it('tolerates the old violation, as without exceptions, when the exception is gone', () =>
    expect(answerTo(deployment({ image: 'i:2' }), END, deployment(), policySet()).result).toBe('warn'));
});

describe("a controller's Pod", () => {
  const pod: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-5d4-x',
      namespace: 'apps',
      labels: { 'pod-template-hash': '5d4' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4', uid: 'u', controller: true }],
    },
    spec: { containers: [{ name: 'app', image: 'i', readinessProbe: { httpGet: { path: '/', port: 'htpp' } } }] },
  };

  it('is excepted with its Deployment, if the controller manager creates the Pod', () => {
    const username = 'system:serviceaccount:kube-system:replicaset-controller';
    const request = requestOf(reviewOf(pod, { userInfo: { username } }));
    const decision = mutate(request, policies, 'On', END - 1);
    expect(decision.violations?.map(({ check, action }) => [check, action])).toEqual([['named-port', 'Excepted']]);
  });

  it('is not excepted if a tenant wrote the reference', () => expect(answerTo(pod, END - 1).result).toBe('deny'));
});
