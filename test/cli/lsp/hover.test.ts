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

it('a hover in a line with several containers and probes tells of the one at the place', () => {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
  });
  const probes = (port: number): string =>
    `livenessProbe: { tcpSocket: { port: ${port} } }, readinessProbe: { tcpSocket: { port: ${port + 1} } }`;
  const line = `{ kind: Pod, apiVersion: v1, spec: { containers: [{ name: a, ${probes(80)} }, { name: b, ${probes(90)} }] } }`;
  workspace.open.set('/p.yaml', line);
  const told = ['kind', 'name: a', '80', '81', 'name: b', '90', '91', '91 } } }] } }'].map((place) => {
    const character = line.indexOf(place) + (place.length > 10 ? place.length - 3 : 0);
    const { contents } = hoverAt(workspace, '/p.yaml', { line: 0, character }) ?? {};
    const { value = '' } = (contents ?? {}) as { readonly value?: string };
    return [...value.matchAll(/^container .|^[a-z]+Probe(?=:)/gm)].join(' ');
  });
  const both = 'livenessProbe readinessProbe';
  expect(told).toEqual([
    ...['', `container a ${both}`, 'container a livenessProbe', 'container a readinessProbe'],
    ...[`container b ${both}`, 'container b livenessProbe', 'container b readinessProbe', ''],
  ]);
});

it('a hover is a list for editors that want Markdown, and no text of a manifest is a mark', () => {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
  });
  const path = '"/a_b*[x](y)<z>`~__c__"';
  const text = pod('a').replace('tcpSocket: { port: 80 }', `httpGet: { path: ${path}, port: 80 }`);
  workspace.open.set('/p.yaml', text);
  const at = { line: 8, character: 0 };
  const [plain, markdown] = [false, true].map((wantsMarkdown) => {
    const { contents } = hoverAt(workspace, '/p.yaml', at, wantsMarkdown) ?? {};
    return (contents ?? {}) as { readonly kind?: string; readonly value?: string };
  });
  expect([plain?.kind, markdown?.kind]).toEqual(['plaintext', 'markdown']);
  const [title, empty, ...items] = markdown?.value?.split('\n') ?? [];
  expect([title, empty]).toEqual(['**container a**', '']);
  expect(items.every((item) => item.startsWith('- '))).toBe(true);
  expect(items.join()).toContain(String.raw`/a_b\*\[x](y)\<z>\`\~\_\_c\_\_`);
  const unescaped = items.map((item) => item.slice(2).replaceAll(/\\(.)/g, '$1'));
  expect(['container a', ...unescaped].join('\n')).toBe(plain?.value);
});
