import { expect, it } from 'vitest';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { hoverAt } from '../../../src/cli/lsp/hover.ts';
import { Workspace } from '../../../src/cli/lsp/workspace.ts';

const pod = (name: string): string => `---
kind: Pod
apiVersion: v1
metadata: { name: ${name} }
spec:
  containers:
    - name: ${name}
      livenessProbe:
        tcpSocket: { port: 80 }
      readinessProbe:
        tcpSocket: { port: 81 }
  restartPolicy: Always
`;

it('a hover tells of the container, and of the probe alone in the lines of the probe', () => {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
  });
  workspace.open.set('/p.yaml', pod('a') + pod('b'));
  const told = Array.from({ length: 25 }, (_, line) => {
    const { contents } = hoverAt(workspace, '/p.yaml', { line, character: 0 }) ?? {};
    const { value = '' } = (contents ?? {}) as { readonly value?: string };
    return [...value.matchAll(/^container .|^[a-z]+Probe(?=:)/gm)].join(' ');
  });
  const both = (name: string): string => `container ${name} livenessProbe readinessProbe`;
  const lines = (name: string): string[] => [
    ...['', '', '', '', '', ''],
    both(name),
    ...Array<string>(2).fill(`container ${name} livenessProbe`),
    ...Array<string>(2).fill(`container ${name} readinessProbe`),
    '',
  ];
  expect(told).toEqual([...lines('a'), ...lines('b'), '']);
});
