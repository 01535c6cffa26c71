import { describe, expect, it } from 'vitest';
import { withoutExempt } from '../../../src/cli/input/exempt-workloads.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import type { Live } from '../../../src/cli/input/live.ts';
import { DEFAULT_SCOPE } from '../../../src/observer/missed/webhook-scope.ts';
import { NOW } from '../../support/now.ts';

/** The inputs of a cluster with these workloads, as `namespace/name`. */
function inputsWith(...names: readonly string[]): FlatGiven {
  const texts = names.map((name) => {
    const [namespace = '', own] = name.split('/');
    return {
      file: name,
      text: `apiVersion: apps/v1\nkind: Deployment\nmetadata: { namespace: ${namespace}, name: ${own} }\n`,
    };
  });
  const labels = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: dev, labels: { tier: dev } }\n';
  const policies = { texts: [{ file: 'namespaces', text: labels }], problems: [] };
  const settings = { kinds: KNOWN_KINDS, namespace: 'default', now: NOW };
  return { ...flatGiven(worldOf({ texts, problems: [] }, policies, settings)), isFromCluster: true };
}

const SCOPE = {
  ...DEFAULT_SCOPE,
  namespaces: [
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'infra'] },
    { key: 'tier', operator: 'NotIn', values: ['dev'] },
  ],
} as unknown as typeof DEFAULT_SCOPE;
const read = (inputs: FlatGiven, more: object = {}): FlatGiven => ({
  ...inputs,
  webhook: { tier: 'webhook', scope: { ...SCOPE, ...more }, unread: [], stepOf: (restart) => restart },
});
/** The parts that are given to the functions, as a cluster has them. */
const liveOf = ({ webhook }: FlatGiven) => ({ webhook }) as Live;
const seenOf = (inputs: FlatGiven): FlatGiven => ({ ...inputs, ...withoutExempt(inputs, inputs, liveOf(inputs)) });
const NOT_NAMES = 'kubernetes.io/metadata.name notin (kube-system,infra)';

describe('the inputs of a cluster', () => {
  it('lack the workloads of namespaces that the webhook never sees, with the reason and a command', () => {
    const inputs = seenOf(read(inputsWith('shop/a', 'kube-system/b', 'kube-system/c', 'infra/d', 'dev/e')));
    expect(inputs.texts.map(({ file }) => file)).toEqual(['shop/a']);
    expect(inputs.exempt).toEqual([
      { namespace: 'dev', workloads: 1, reason: 'tier notin (dev)' },
      { namespace: 'infra', workloads: 1, reason: NOT_NAMES },
      { namespace: 'kube-system', workloads: 2, reason: NOT_NAMES },
    ]);
    expect(inputs.unchecked?.[0]).toBe(
      `2 workloads of namespace kube-system are exempt: the webhook only sees namespaces with ${NOT_NAMES}; ` +
        'kubectl get deploy,ds,sts -n kube-system -o yaml | probewright check -',
    );
    expect(inputs.unchecked).toHaveLength(3);
  });

  it('are whole where no namespace is exempt', () => {
    const inputs = seenOf(read(inputsWith('shop/a', 'apps/b')));
    expect([inputs.texts.length, inputs.exempt, inputs.unchecked]).toEqual([2, [], []]);
  });

  it('are whole without a webhook whose configuration was read', () => {
    const inputs = inputsWith('kube-system/b');
    expect(withoutExempt(inputs, inputs, liveOf(inputs))).toBe(inputs);
    const { webhook } = read(inputs);
    const unread = { ...inputs, ...(webhook && { webhook: { ...webhook, scope: undefined } }) };
    expect(withoutExempt(unread, unread, liveOf(unread))).toBe(unread);
  });
});

describe('the notes about exempt workloads', () => {
  const notesOf = (inputs: FlatGiven): readonly string[] => (inputs.exemptNotes ?? []).map(({ message }) => message);

  it('name each namespace, and what only the API server can tell', () => {
    const inputs = seenOf(read(inputsWith('infra/d', 'shop/a'), { foreignConditions: ['one', 'two'] }));
    expect(inputs.exemptNotes).toMatchObject([{ file: 'cluster' }, { file: 'cluster' }]);
    expect(notesOf(inputs)).toEqual([
      `note: 1 workload of namespace infra is exempt: the webhook only sees namespaces with ${NOT_NAMES}`,
      'note: only the API server can tell what one, two of the webhook exempts',
    ]);
    expect(notesOf(seenOf(read(inputsWith('infra/d'), { foreignConditions: ['one'] })))).toHaveLength(2);
    expect(notesOf(seenOf(read(inputsWith('infra/d'), { foreignConditions: [] })))).toHaveLength(1);
  });

  it('are none for inputs that were not asked for exempt workloads', () => {
    expect(notesOf(read(inputsWith('infra/d'), { foreignConditions: ['one'] }))).toEqual([]);
  });
});
