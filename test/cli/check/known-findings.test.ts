import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withoutKnown } from '../../../src/cli/check/known-findings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';
import { runProbewright } from '../run-probewright.ts';
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

describe('entries of a baseline that no finding matches', () => {
  const entryOf = (kind: string, namespace: string, name: string): object => ({
    ...{ check: 'named-port', kind, namespace, name, container: '' },
  });

  /** What a check of one Pod says about these entries, without the place of the baseline. */
  async function told(findings: readonly object[]): Promise<readonly string[]> {
    const directory = await temporaryDirectory();
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: app }] }\n';
    await writeFiles(directory, { 'web.yaml': pod, 'known.json': JSON.stringify({ version: 1, findings }) });
    const args = ['check', join(directory, 'web.yaml'), '--baseline', join(directory, 'known.json')];
    const { stderr } = await runProbewright(args, { directory });
    return stderr
      .trim()
      .split('\n')
      .map((line) => line.replaceAll('DIR/known.json', 'FILE'));
  }
  const ofPolicies = (count: number): readonly object[] =>
    Array.from({ length: count }, (_, index) => entryOf('ClusterProbePolicy', '', `p${index}`));
  const lines = Array.from(
    { length: 10 },
    (_, index) => `FILE: no longer found: named-port of ClusterProbePolicy p${index}`,
  );
  const remedy = 'FILE: --write-baseline FILE removes such entries';

  it('are told in a line each, up to ten', async () => {
    expect(await told(ofPolicies(10))).toEqual([...lines, remedy]);
    expect(await told(ofPolicies(11))).toEqual([...lines, 'FILE: no longer found: 1 more finding', remedy]);
  });

  it('are only counted where the inputs lack their workload', async () => {
    expect(await told([entryOf('Pod', 'default', 'other')])).toEqual([
      'FILE: 1 known finding of workloads that are not among the inputs',
    ]);
  });
});
