import { describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { validate } from '../../support/decisions.ts';
import { NOW } from '../../support/now.ts';
import {
  appContainer,
  clusterPolicyDocument,
  policySet,
  requestOf,
  reviewOf,
  VALIDATE_SETTINGS,
} from '../../support/worlds.ts';
import { answerTo, DEPLOYMENT, objectOf, type Disguise } from './disguise.ts';
import { OF_MESHES } from './disguises-of-meshes.ts';
import { OF_OWNERS, ownedBy } from './disguises-of-owners.ts';
import { OF_SIZES } from './disguises-of-sizes.ts';
import { OF_TRUST } from './disguises-of-trust.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Each way past a floor that somebody has found or could try. A row more is a test more. */
const TABLE: readonly Disguise[] = [...OF_OWNERS, ...OF_MESHES, ...OF_SIZES, ...OF_TRUST];

describe('a floor holds where somebody pretends that', () => {
  it.each(TABLE.map((row) => [row.pretends, row] as const))('%s', (_, row) => {
    expect(answerTo(row)).toBe(row.answer);
    if (row.honest !== undefined) expect(answerTo(row, row.honest)).toBe('allowed');
  });

  it('each of many things is so, and no two rows have one name', () => {
    expect(TABLE.filter(({ answer }) => answer === 'denied').length).toBeGreaterThanOrEqual(66);
    expect(new Set(TABLE.map(({ pretends }) => pretends)).size).toBe(TABLE.length);
  });
});

const ARGO_CD = 'system:serviceaccount:argocd:argocd-application-controller';

describe('an object of a custom kind that nobody configured', () => {
  const checks = { 'required-readiness': { action: 'Deny' } };
  const withoutFloor = policySet(clusterPolicyDocument({ containers: ['*'], checks }));
  const floors = policySet(
    clusterPolicyDocument({ containers: ['*'], checks: { 'required-readiness': { action: 'Deny', floor: 'Deny' } } }),
  );
  const metadata = ownedBy(['example.com/v1', 'Database']);
  const object = objectOf(DEPLOYMENT, { metadata });
  const decision = (
    given: JsonObject,
    username: string,
    policies = floors,
    settings: Partial<typeof VALIDATE_SETTINGS> = {},
  ): ReturnType<typeof validate> =>
    validate(
      requestOf(reviewOf(given, { userInfo: { username } })),
      policies,
      { ...VALIDATE_SETTINGS, ...settings },
      NOW,
    );
  const isAllowed = (given: JsonObject, username: string): boolean =>
    decision(given, username, withoutFloor).reply.response.allowed;

  it('is at most audited without a floor', () => {
    expect(isAllowed(object, ARGO_CD)).toBe(true);
    expect(isAllowed(object, 'jane')).toBe(false);
  });

  it('is not judged if its operator is listed, whether its kind is configured or not', () => {
    const skipped = (settings: Partial<typeof VALIDATE_SETTINGS>): string | undefined =>
      decision(object, ARGO_CD, floors, settings).skipped;
    const database = { group: 'example.com', kind: 'Database', templatePaths: [['spec']], runsToCompletion: false };
    expect(skipped({})).toBeUndefined();
    expect(skipped({ controllers: { accounts: [ARGO_CD], foreignServiceAccounts: true } })).toBe('controller-owned');
    expect(skipped({ kinds: [...BUILT_IN_KINDS, database] })).toBeUndefined();
  });

  it('is denied if it is too large to be looked at', () => {
    const args = Array.from({ length: 5001 }, () => '');
    expect(isAllowed(objectOf(DEPLOYMENT, { metadata, containers: [appContainer({ args })] }), ARGO_CD)).toBe(false);
  });
});
