import { expect, it } from 'vitest';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { diagnosticsOf } from '../../../src/cli/lsp/findings.ts';
import { Workspace } from '../../../src/cli/lsp/workspace.ts';

const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: a }
`;

it.each([
  ['a problem', 'spec: { checks: { named-port: { action: Wrong } } }', 'action: Wrong } } }', 1],
  [
    'a finding',
    'spec: { probes: { livenessProbe: { httpGet: { path: / }, failureThreshold: 1 } } }',
    'failureThreshold: 1 } } }',
    2,
  ],
])('%s of a policy is marked to the end of its line, without the comment: %s', (_, line, marked, severity) => {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
  });
  const text = `${POLICY}${line}   # later\n`;
  workspace.open.set('/p.yaml', text);
  const found = diagnosticsOf(workspace, ['/p.yaml']).get('/p.yaml') ?? [];
  const marks = found.map(({ range: { start, end }, severity: level }) => [
    text.split('\n')[start.line]?.slice(start.character, end.character),
    level,
  ]);
  expect(marks).toEqual([[marked, severity]]);
});

it.each(['', '\r'])('the first line of a text with a byte order mark is marked as editors count: %j', (ending) => {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
  });
  const probe = `tcpSocket:${ending}\n    { port: http }`;
  const pod = `{ apiVersion: v1, kind: Pod, spec: { containers: [{ name: a, livenessProbe: { ${probe} } }] } }`;
  const text = `\uFEFF{ apiVersion: probewright.dev/v1alpha1, kind: Wrong }${ending}\n---\n${pod}\n`;
  workspace.open.set('/p.yaml', text);
  const found = diagnosticsOf(workspace, ['/p.yaml']).get('/p.yaml') ?? [];
  const marks = found.map(({ range: { start, end } }) =>
    text.split('\n')[start.line]?.slice(start.character, end.character),
  );
  expect(marks).toEqual(['port: http', 'kind: Wrong }']);
});

it('a policy has the findings that the probes of workloads show, also where those of the workloads are notes', () => {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
  });
  const spec = `spec:
  checks: { single-failure: { action: Off } }
  probes: { livenessProbe: { httpGet: { path: / }, failureThreshold: 1 } }
`;
  workspace.open.set('/p.yaml', POLICY + spec);
  const workload = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  template:
    spec:
      containers: [{ name: web, image: 'web:1', ports: [{ name: http, containerPort: 8080 }] }]
`;
  const codes = (): unknown[] =>
    (diagnosticsOf(workspace, [...workspace.open.keys()]).get('/p.yaml') ?? []).map(({ code }) => code);
  const alone = codes();
  workspace.open.set('/w.yaml', workload);
  expect([alone, codes()]).toEqual([[], ['restart-gate']]);
});
