import { describe, expect, it } from 'vitest';
import { PLAN } from '../../../src/cli/plan/definition.ts';

type Values = Parameters<NonNullable<typeof PLAN.conflicts>>[0];

const conflictsOf = (flags: Partial<Values>): readonly unknown[] =>
  PLAN.conflicts?.({ ...({ policies: undefined, remove: [] } as unknown as Values), ...flags }) ?? [];

describe('a plan', () => {
  it('needs a change: new policies, or a policy that is removed', () => {
    const problem = '--policies: name the new policies, or name a policy that is removed with --remove';
    expect(conflictsOf({})).toEqual([problem]);
    expect(conflictsOf({ from: 'old' })).toEqual([problem]);
    for (const flags of [
      { policies: 'new' },
      { remove: ['ClusterProbePolicy/all'] },
      { policies: 'new', remove: ['x'] },
    ])
      expect(conflictsOf(flags)).toEqual([]);
  });

  it('fails for any effect without a flag, and is printed as text', () => {
    expect([PLAN.flags['fail-on'].read([]), PLAN.flags.output.read([])]).toEqual(['any', 'text']);
    expect(Object.keys(PLAN.exitCodes)).toEqual(['0', '1', '2']);
  });

  it('has new policies in place of the policies of other commands, first in help', () => {
    expect(PLAN.flags.policies.summary).toMatch(/^The new policies/);
    expect(Object.keys(PLAN.flags).slice(0, 3)).toEqual(['policies', 'from', 'remove']);
  });
});

describe('a policy that is removed', () => {
  const read = (text: string): readonly string[] => PLAN.flags.remove.read([text]);

  it.each(['ProbePolicy/apps/web', 'ProbeException/apps/web', 'ClusterProbePolicy/all'])('may be %s', (text) => {
    expect(read(text)).toEqual([text]);
  });

  it.each([
    '',
    'web',
    'ProbePolicy/web',
    'ProbePolicy/apps/',
    'ProbePolicy//web',
    'ProbePolicy/apps/web/x',
    'ProbeException/web',
    'ClusterProbePolicy/',
    'ClusterProbePolicy/apps/web',
    'Deployment/apps/web',
    'xProbePolicy/apps/web',
    'xClusterProbePolicy/all',
  ])('is not %j', (text) => {
    expect(() => read(text)).toThrow(
      `must be ProbePolicy/NAMESPACE/NAME, ProbeException/NAMESPACE/NAME or ClusterProbePolicy/NAME, not "${text}"`,
    );
  });

  it('may be one of several', () => {
    const several = ['ProbePolicy/a/b', 'ClusterProbePolicy/c'];
    expect(PLAN.flags.remove.read(several)).toEqual(several);
  });
});
