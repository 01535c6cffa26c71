import { describe, expect, it } from 'vitest';
import { describeCases } from '../support/recorded-cases.ts';
import { isWithoutHelm, one, render, type Manifest } from './helm.ts';
import { unmetConditions, type MatchCondition } from './match-conditions.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Configuration {
  readonly webhooks: readonly { readonly name: string; readonly matchConditions: readonly MatchCondition[] }[];
}

const rendered = new Map<string, readonly Manifest[]>();

/** What the chart renders; helm runs once for each set of values. */
function manifestsOf(overrides: JsonObject): readonly Manifest[] {
  const key = JSON.stringify(overrides);
  const manifests = rendered.get(key) ?? render({ overrides });
  rendered.set(key, manifests);
  return manifests;
}

/** The webhooks that the API server calls, without the domain of their names. */
function called(request: JsonObject, values: JsonObject = {}): string[] {
  const configurations = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].flatMap(
    (kind) => one<Configuration>(manifestsOf(values), kind).webhooks,
  );
  const isPod = (request['kind'] as JsonObject)['kind'] === 'Pod';
  const mayBeCalled = [
    ...(isPod && request['operation'] === 'CREATE' ? ['mutate'] : []),
    isPod ? 'validate-pods' : 'validate-workloads',
  ];
  return mayBeCalled.filter((name) => {
    const webhook = configurations.find((each) => each.name === `${name}.probewright.dev`);
    return unmetConditions(webhook?.matchConditions ?? [], request).length === 0;
  });
}

interface Call {
  readonly kind?: string;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly values?: JsonObject;
  readonly create?: JsonObject;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

function requestOf({ kind = 'Pod', user = 'jane', groups = ['system:authenticated'], ...call }: Call): JsonObject {
  const [group, name] = kind.includes('/') ? kind.split('/') : ['', kind];
  const named = (object: JsonObject | undefined): JsonObject | null =>
    object ? { ...object, metadata: { name: 'web', ...(object['metadata'] as object) } } : null;
  return {
    operation: call.create ? 'CREATE' : 'UPDATE',
    kind: { group, version: 'v1', kind: name },
    userInfo: { username: user, ...(groups.length > 0 && { groups }) },
    object: named(call.create ?? call.after),
    oldObject: named(call.before),
  };
}

describe.skipIf(isWithoutHelm('skipped-calls.tools.test.ts'))('the calls of the API server', () => {
  describeCases('test/fixtures/chart/calls.yaml', ['called'], (given) => ({
    called: called(requestOf(given), (given as Call).values),
  }));

  it('are two for a Pod with more owners than are looked at', () => {
    const ownerReferences = Array.from({ length: 101 }, () => ({ controller: true }));
    const user = 'system:serviceaccount:kube-system:replicaset-controller';
    const create = { metadata: { ownerReferences }, spec: { containers: [{ name: 'app' }] } };
    expect(called(requestOf({ user, create }))).toEqual(['mutate', 'validate-pods']);
  });

  it('fail for no condition when a review has no object', () => {
    for (const kind of ['Pod', 'apps/Deployment']) {
      const request = requestOf({ kind, before: { spec: { template: {} } } });
      expect(() => called({ ...request, operation: 'DELETE', userInfo: {} })).not.toThrow();
    }
  });
});
