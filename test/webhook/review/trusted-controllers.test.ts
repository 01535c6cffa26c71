import { describe, expect } from 'vitest';
import {
  DEFAULT_TRUSTED_CONTROLLERS,
  isControlled,
  looksLikeController,
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
}

const REPLICA_SET = { kind: 'ReplicaSet', name: 'web', uid: 'u' };

describe('a controller reference', () =>
  describeCases('test/fixtures/trusted-controllers.yaml', ['believed', 'looksLike'], (given) => {
    const { users, owners, apiVersions, settings, operation = 'CREATE' } = given as unknown as Case;
    const trusted = { ...DEFAULT_TRUSTED_CONTROLLERS, ...settings };
    const more = apiVersions?.map((apiVersion) => ({ apiVersion: apiVersion ?? undefined, kind: 'Any' }));
    const lists = more ? more.map((owner) => [...(owners ?? []), owner]) : [owners ?? [REPLICA_SET]];
    const outcomes = lists.map((list) => {
      const object = { metadata: { ownerReferences: list.map((owner) => ({ controller: true, ...owner })) } };
      const asked = users.map((userName) => ({ userName, namespace: 'apps', operation, object }));
      return {
        believed: asked.filter((one) => isControlled(one, trusted)).map(({ userName }) => userName),
        looksLike: asked.filter((one) => looksLikeController(one, trusted)).map(({ userName }) => userName),
      };
    });
    const [first = {}] = outcomes;
    expect(outcomes).toEqual(outcomes.map(() => first));
    return first;
  }));
