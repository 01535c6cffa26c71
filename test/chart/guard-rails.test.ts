import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { READY_MADE_KINDS } from '../../src/engine/workload/kinds.ts';
import { isWithoutHelm, render, renderText, type Manifest, type Rendering } from './helm.ts';
import type { MatchCondition } from './match-conditions.ts';

const refused = parse(readFileSync('test/fixtures/chart/refusals.yaml', 'utf8')) as Readonly<
  Record<string, { readonly given: Rendering; readonly says: string }>
>;

describe.skipIf(isWithoutHelm('guard-rails.test.ts'))('the chart refuses', () => {
  it.each(Object.entries(refused))('%s, with a sentence that says what to do', (_, { given, says }) => {
    expect(() => renderText(given)).toThrow(new RegExp(says));
  });

  it('every name of a built-in match condition, whatever the values switch off', () => {
    const builtIn = render({ set: ['webhooks.skipNeedlessCalls=true'] }).flatMap(conditionNames);
    expect(builtIn.length).toBeGreaterThan(0);
    for (const name of new Set(builtIn)) {
      const overrides = { webhooks: { skipNeedlessCalls: false, matchConditions: [{ name, expression: 'true' }] } };
      expect(() => renderText({ overrides })).toThrow(`has the name ${name}: the chart has a condition of that name`);
    }
  });

  it('no flags of serve, whether their value follows or not', () => {
    const extraArgs = ['--certificate-check=30s', '--policies', '/policies'];
    expect(() => render({ overrides: { extraArgs } })).not.toThrow();
  });

  it('no kind that Probewright knows by itself', () => {
    const workloadKinds = READY_MADE_KINDS.map(({ group, kind }) => ({ group, kind, resource: 'things' }));
    expect(() => render({ overrides: { workloadKinds } })).not.toThrow();
  });
});

function conditionNames({ webhooks = [] }: Manifest): string[] {
  return (webhooks as { readonly matchConditions?: readonly MatchCondition[] }[]).flatMap(({ matchConditions = [] }) =>
    matchConditions.map(({ name }) => name),
  );
}
