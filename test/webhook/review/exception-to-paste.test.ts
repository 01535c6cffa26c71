import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { exceptionToPaste } from '../../../src/webhook/review/exception-to-paste.ts';
import { readPolicyDocuments } from '../../../src/cli/input/world.ts';
import type { NamedWorkload } from '../../../src/engine/policy/probe-exception.ts';

const NOW = Date.UTC(2026, 10, 29, 13);
const WEB: NamedWorkload = { kind: 'Deployment', name: 'web' };

/** The manifest that the shell gives to kubectl. */
function pasted(names: readonly NamedWorkload[], checks: readonly string[], namespace = 'shop'): string {
  const text = exceptionToPaste(names, namespace, checks, NOW)?.join('\n') ?? '';
  return /^kubectl apply -f - <<'EOF'\n([\s\S]*?)\nEOF$/m.exec(text)?.[1] ?? '';
}

describe('the exception of a denial', () => {
  it.each([[['named-port']], [['named-port', 'exec-cost', 'named-port']], [Object.keys(CHECK_CATALOGUE)]])(
    'can be pasted, and is read without a problem: case %#',
    (checks) => {
      const { facts, problems } = readPolicyDocuments([{ file: 'pasted', text: pasted([WEB], checks) }]);
      expect(problems).toEqual([]);
      const [exception] = facts.exceptions.ofNamespace('shop');
      expect(exception).toMatchObject({ name: 'web', expires: Date.UTC(2026, 11, 30) });
      expect(JSON.parse(exception?.text ?? '{}')).toMatchObject({
        checks: [...new Set(checks)].slice(0, 64),
        workloads: [WEB],
      });
    },
  );

  it('is for the workload that a person applies, not for its Pod', () =>
    expect(
      pasted([{ kind: 'Pod', name: 'web-1' }, { kind: 'ReplicaSet', name: 'web-5' }, WEB], ['named-port']),
    ).toContain('workloads: [{ kind: Deployment, name: web }]'));

  it.each(['123', '1e3', '0x1f', '1.5', 'true', 'null', 'on', 'y'])(
    'keeps the name %s a text, which YAML reads as another type without quotes',
    (name) => {
      const workload: NamedWorkload = { kind: 'Deployment', name };
      const text = pasted([workload], ['named-port'], name);
      const { facts, problems } = readPolicyDocuments([{ file: 'pasted', text }]);
      expect(problems).toEqual([]);
      const [exception] = facts.exceptions.ofNamespace(name);
      expect(exception).toMatchObject({ name });
      expect(JSON.parse(exception?.text ?? '{}')).toMatchObject({ workloads: [workload] });
    },
  );

  it('names no workload that has no name, or a name that only a shell could love', () => {
    expect(exceptionToPaste([], 'shop', ['named-port'], NOW)).toBeUndefined();
    for (const name of ['a b', "x'\nEOF\nrm", '${x}'])
      expect(exceptionToPaste([{ kind: 'Deployment', name }], 'shop', ['named-port'], NOW)).toBeUndefined();
  });
});
