import { describe, expect, it } from 'vitest';
import {
  DEFAULT_TRUSTED_CONTROLLERS,
  isAccountName,
  looksLikeController,
  trustIn,
  type Trust,
  type TrustedControllers,
} from '../../../src/webhook/review/trusted-controllers.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

interface Case {
  readonly users: readonly string[];
  /** The owners, which are controllers unless they say another thing. */
  readonly owners?: readonly JsonObject[];
  /** One more owner has each of these in turn, with the same outcome; null for none. */
  readonly apiVersions?: readonly unknown[];
  readonly settings?: Partial<TrustedControllers>;
  readonly operation?: string;
  /** The object's kind, as `group/kind`. Without it, a Pod. */
  readonly object?: string;
}

const REPLICA_SET = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u' };

describe('a controller reference', () =>
  describeCases('test/fixtures/trusted-controllers.yaml', ['believed', 'exceptForFloors', 'looksLike'], (given) => {
    const {
      users,
      owners,
      apiVersions,
      settings,
      operation = 'CREATE',
      object: of = '/Pod',
    } = given as unknown as Case;
    const [group = '', name = ''] = of.split('/');
    const kind = { group, version: 'v1', kind: name };
    const trusted = { ...DEFAULT_TRUSTED_CONTROLLERS, ...settings };
    const more = apiVersions?.map((apiVersion) => ({ apiVersion: apiVersion ?? undefined, kind: 'Any' }));
    const lists = more ? more.map((owner) => [...(owners ?? []), owner]) : [owners ?? [REPLICA_SET]];
    const outcomes = lists.map((list) => {
      const object = { metadata: { ownerReferences: list.map((owner) => ({ controller: true, ...owner })) } };
      const asked = users.map((userName) => ({ userName, namespace: 'apps', operation, kind, object }));
      const usersWith = (trust: Trust): string[] =>
        asked.filter((one) => trustIn(one, trusted) === trust).map(({ userName }) => userName);
      return {
        believed: usersWith('full'),
        exceptForFloors: usersWith('not-for-floors'),
        looksLike: asked.filter((one) => looksLikeController(one, trusted, false)).map(({ userName }) => userName),
      };
    });
    const [first = {}] = outcomes;
    expect(outcomes).toEqual(outcomes.map(() => first));
    return first;
  }));

describe('an account is named in full', () => {
  it.each([
    'system:serviceaccount:data:postgres-operator',
    'system:serviceaccount:data:operator.v2',
    'system:serviceaccount:1:2',
    'system:node:n1',
    'system:admin',
    'system:k3s-controller',
    'ci-bot',
    'oidc:jane@example.com',
    'josé',
  ])('as %s is', (name) => expect(isAccountName(name)).toBe(true));

  it.each([
    ...[
      '*',
      's*',
      'system:*',
      'system:serviceaccount:*',
      'system:serviceaccount:team*',
      'system:serviceaccount:data:*',
    ],
    ...['system:serviceaccount:*:operator', 'system:serviceaccount:apps:operator-*', '*:operator', 'ci-*'],
    ...['system:', 'system:serviceaccount', 'system:serviceaccount:', 'system:serviceaccount:data'],
    ...['system:serviceaccount:data:', 'system:serviceaccount::operator', 'system:serviceaccount:data:a:b'],
    ...['system:serviceaccount:Data:operator', 'system:serviceaccount:data:Operator', 'system:serviceaccount:a.b:c'],
    ...['system:serviceaccounts', 'system:serviceaccounts:data', 'system:nodes', 'system:masters', 'system:monitoring'],
    ...['system:anonymous', 'system:authenticated', 'system:unauthenticated', 'system:bootstrappers:kubeadm'],
    ...['', ' ', 'a b', 'jane ', '\tjane', 'jane\n', 'a\u00a0b', 'a\u200bb', 'a,b', 'ops:'],
  ])('as %j is not', (name) => expect(isAccountName(name)).toBe(false));
});
