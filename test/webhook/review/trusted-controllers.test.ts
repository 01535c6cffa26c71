import { describe, expect } from 'vitest';
import {
  DEFAULT_TRUSTED_CONTROLLERS,
  looksLikeController,
  trustIn,
  type Trust,
  type TrustedControllers,
} from '../../../src/webhook/review/trusted-controllers.ts';
import { KNOWN_KINDS, type WorkloadKind } from '../../../src/engine/workload/kinds.ts';
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
  /** Custom kinds that the webhook is configured for, as `group/kind`, beside those that it knows without. */
  readonly configured?: readonly string[];
}

const REPLICA_SET = { kind: 'ReplicaSet', name: 'web', uid: 'u' };

describe('a controller reference', () =>
  describeCases('test/fixtures/trusted-controllers.yaml', ['believed', 'exceptForFloors', 'looksLike'], (given) => {
    const { users, owners, apiVersions, settings, operation = 'CREATE', configured = [] } = given as unknown as Case;
    const kinds = configured.map((name): WorkloadKind => {
      const [group = '', kind = ''] = name.split('/');
      return { group, kind, templatePaths: [['spec', 'template']], runsToCompletion: false };
    });
    const trusted = { ...DEFAULT_TRUSTED_CONTROLLERS, ...settings };
    const more = apiVersions?.map((apiVersion) => ({ apiVersion: apiVersion ?? undefined, kind: 'Any' }));
    const lists = more ? more.map((owner) => [...(owners ?? []), owner]) : [owners ?? [REPLICA_SET]];
    const outcomes = lists.map((list) => {
      const object = { metadata: { ownerReferences: list.map((owner) => ({ controller: true, ...owner })) } };
      const asked = users.map((userName) => ({ userName, namespace: 'apps', operation, object }));
      const usersWith = (trust: Trust): string[] =>
        asked
          .filter((one) => trustIn(one, trusted, [...kinds, ...KNOWN_KINDS]) === trust)
          .map(({ userName }) => userName);
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
