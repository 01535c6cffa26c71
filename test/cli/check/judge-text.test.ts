import { describe, expect, it } from 'vitest';
import { judgeText, type JudgedText } from '../../../src/cli/check/judge-text.ts';
import { parsedTexts, type ParsedText } from '../../../src/cli/input/manifests.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { policyDocument } from '../../support/worlds.ts';
import { deploymentWithTypo } from '../deployment-with-typo.ts';

const settings = { kinds: KNOWN_KINDS, namespace: 'apps', now: NOW };
const parsed = (text: string): ParsedText => {
  const [only] = parsedTexts([{ file: 'open.yaml', text }], settings);
  if (only === undefined) throw new Error('there is no text');
  return only;
};
/** The world of files that were read before, without the text that is judged. */
const worldWith = (...others: readonly string[]) =>
  worldOf(
    { texts: others.map((text, index) => ({ file: `${index}.yaml`, text })), problems: [] },
    { texts: [], problems: [] },
    settings,
  ).world;
const checksOf = ({ violations }: JudgedText): readonly string[] => violations.map(({ check }) => check);

describe('a text in memory', () => {
  const typo = deploymentWithTypo('web');

  it('is judged by the policies of the other texts, which are not read again', () => {
    const off = JSON.stringify(policyDocument({ checks: { 'named-port': { action: 'Off' } } }));
    expect(checksOf(judgeText(parsed(typo), worldWith()))).toEqual(['named-port']);
    const world = worldWith(off);
    expect(checksOf(judgeText(parsed(typo), world))).toEqual([]);
    // The same world judges each version of the text.
    expect(judgeText(parsed('kind: ConfigMap\napiVersion: v1\n'), world).workloads).toBe(0);
  });

  it('has the places of its own lines, and its object', () => {
    const { violations } = judgeText(parsed(`kind: ConfigMap\napiVersion: v1\n---\n${typo}`), worldWith());
    expect(violations).toMatchObject([{ file: 'open.yaml', kind: 'Deployment', name: 'web', object: { document: 1 } }]);
    expect(violations[0]?.line).toBeGreaterThan(3);
  });

  it('has its malformed template in the file that a tool rendered it from', () => {
    const text = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { template: x }\n';
    const placeOf = () => ({ file: 'templates/web.yaml', line: 7, column: 3 });
    const [rendered] = parsedTexts([{ file: 'Chart.yaml', text, placeOf }], settings);
    const { violations } = judgeText(rendered ?? parsed(text), worldWith());
    expect(violations).toMatchObject([
      { check: 'valid-probe', file: 'templates/web.yaml', line: 7, column: 3, isRendered: true },
    ]);
    expect(judgeText(parsed(text), worldWith()).violations).toMatchObject([{ file: 'open.yaml', line: 4 }]);
  });

  it('has findings that a comment ignores, unless comments do not count', () => {
    const text = parsed(`# probewright: ignore named-port - a webhook adds the port\n${typo}`);
    const honoured = judgeText(text, worldWith());
    expect([checksOf(honoured), honoured.found.length, honoured.notes]).toEqual([[], 1, []]);
    expect(checksOf(judgeText(text, worldWith(), { honoursComments: false }))).toEqual(['named-port']);
  });

  it('has notes about comments that ignore nothing, and about comments that cannot be read', () => {
    const unused = judgeText(parsed(`# probewright: ignore exec-cost - ours\n${typo}`), worldWith());
    expect(unused.notes.map(({ line }) => line)).toEqual([1]);
    const bad = judgeText(parsed(`# probewright: ignore nonsense - ours\n${typo}`), worldWith());
    expect(bad.badComments.map(({ line }) => line)).toEqual([1]);
  });

  it('has keys that are written twice as violations, which replace its problems', () => {
    const probe = '\n    livenessProbe: { tcpSocket: { port: 1 } }';
    const text = parsed(
      `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  containers:\n  - name: app${probe}${probe}\n`,
    );
    const { found, replaced } = judgeText(text, worldWith());
    expect(replaced).toEqual(text.problems);
    expect(replaced).toHaveLength(1);
    expect(found.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^is written twice/));
  });

  it('warns of versions that Kubernetes has removed, unless the objects are those of a cluster', () => {
    const old = parsed(typo.replace('apps/v1', 'apps/v1beta1'));
    const warned = (more: object): readonly string[] =>
      judgeText(old, { ...worldWith(), ...more }).warnings.map(({ message }) => message);
    expect(warned({})).toEqual([expect.stringContaining('was removed in Kubernetes 1.16')]);
    expect([warned({ isFromCluster: true }), warned({ kubernetesVersion: '1.15' })]).toEqual([[], []]);
  });
});
