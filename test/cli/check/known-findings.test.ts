import { describe, expect, it } from 'vitest';
import { withoutKnown } from '../../../src/cli/check/known-findings.ts';
import { placedViolation } from './placed-violations.ts';

describe('known findings', () => {
  it('are matched one to one, by identity: an entry hides one finding, the first', () => {
    const twice = [placedViolation({ line: 1 }), placedViolation({ line: 2 })];
    const entry = placedViolation({ action: 'Audit', line: 99, file: 'elsewhere.yaml' });
    const { violations, known, stale } = withoutKnown(twice, [entry]);
    expect(violations).toEqual([twice[1]]);
    expect([known, stale]).toEqual([1, []]);
    const others = [entry, { ...entry }, { ...entry }];
    const all = withoutKnown(twice, others);
    expect([all.known, all.stale]).toEqual([2, [others[2]]]);
  });
});
