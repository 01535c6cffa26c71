import { describe, expect, it } from 'vitest';
import type { ReadTexts } from '../../../src/cli/input/manifests.ts';
import { workloadsIn } from '../../../src/cli/input/manifest.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { unaskedSelectors } from '../../../src/cli/input/unasked-selectors.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import type { FileProblem } from '../../../src/cluster/sources/policy-documents.ts';
import { NOW } from '../../support/now.ts';

const NAME = 'kubernetes.io/metadata.name';
const GIVES = 'kubernetesProbeEndpoints: { livenessProbe: /live }';

const textsOf = (file: string, documents: readonly string[]): ReadTexts => ({
  texts: [{ file, text: documents.join('---\n') }],
  problems: [],
});
const policy = (name: string, selector: string, spec = GIVES): string =>
  `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: ${name} }\nspec:\n  namespaceSelector: ${selector}\n  ${spec}\n`;
const workload = (namespace: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web, namespace: ${namespace} }\nspec: { template: { spec: { containers: [{ name: app }] } } }\n`;
const namespaced = (name: string): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}, labels: { team: a } }\n`;
const inputs = (manifests: readonly string[], policies: readonly string[], added: readonly string[] = []): FlatGiven =>
  flatGiven(
    worldOf(
      textsOf('m.yaml', manifests),
      textsOf('p.yaml', policies),
      { kinds: KNOWN_KINDS, namespace: 'default', now: NOW },
      textsOf('n.yaml', added),
    ),
  );
const unaskedOf = (given: FlatGiven): readonly FileProblem[] => unaskedSelectors(workloadsIn(given, given), given);
const notes = (...given: Parameters<typeof inputs>): string[] =>
  unaskedOf(inputs(...given)).map(({ file, line, message }) => `${file}:${line} ${message}`);

const TEAM = '{ matchLabels: { team: a } }';
const one = (counts: string): string =>
  `note: ClusterProbePolicy/x: no input has the labels of the namespace shop, so the namespaceSelector ${counts} it; add a file with the output of: kubectl get namespace shop -o yaml`;

describe('the note about a namespaceSelector that cannot be asked', () => {
  it.each([
    [TEAM, 'does not select'],
    ['{ matchExpressions: [{ key: team, operator: DoesNotExist }] }', 'selects'],
    [`{ matchLabels: { team: a, ${NAME}: shop } }`, 'does not select'],
    [`{ matchExpressions: [{ key: team, operator: NotIn, values: [a] }], matchLabels: { ${NAME}: shop } }`, 'selects'],
  ])('is there for %s, which %s the namespace', (selector, counts) =>
    expect(notes([workload('shop')], [policy('x', selector)])).toEqual([`p.yaml:5 ${one(counts)}`]),
  );

  it.each([
    ['by the name alone', [workload('shop')], [policy('x', `{ matchLabels: { ${NAME}: shop } }`)]],
    ['that the name leaves out', [workload('shop')], [policy('x', `{ matchLabels: { team: a, ${NAME}: bank } }`)]],
    ['whose namespace is among the inputs', [workload('shop'), namespaced('shop')], [policy('x', TEAM)]],
    ['without a workload', [namespaced('bank')], [policy('x', TEAM)]],
  ])('is not there for a selector %s', (_why, manifests, policies) => expect(notes(manifests, policies)).toEqual([]));

  it('is one for policies with the same answer, at the first, and names three', () => {
    const policies = ['a', 'b', 'c', 'd'].map((name) => policy(name, TEAM));
    const named = (count: number): string[] =>
      notes([workload('shop')], policies.slice(0, count)).map((note) => note.split(': no input')[0] ?? '');
    const sources = ['a', 'b', 'c'].map((name) => `ClusterProbePolicy/${name}`).join(', ');
    expect([named(3), named(4)]).toEqual([[`p.yaml:5 note: ${sources}`], [`p.yaml:5 note: ${sources} and others`]]);
  });

  it('lists three namespaces, and else asks for all', () => {
    const asked = (count: number): string[] =>
      notes(['a', 'b', 'c', 'd'].slice(0, count).map(workload), [policy('x', TEAM)]);
    expect(asked(3)).toEqual([
      expect.stringMatching(/the namespaces a, b, c, so .* them; .* kubectl get namespace a b c -o yaml$/),
    ]);
    expect(asked(4)).toEqual([expect.stringMatching(/ a, b, c and others, so .* kubectl get namespaces -o yaml$/)]);
  });

  it('is there for policies that are to be applied, too', () =>
    expect(notes([workload('shop')], [], [policy('x', TEAM)])).toEqual([`n.yaml:5 ${one('does not select')}`]));

  it('is not there for a cluster, which has the labels', () =>
    expect(unaskedOf({ ...inputs([workload('shop')], [policy('x', TEAM)]), isFromCluster: true })).toEqual([]));
});
