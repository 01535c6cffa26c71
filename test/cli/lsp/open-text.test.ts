import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { differenceOf, piecesOf } from '../../../src/cli/lsp/open-text.ts';
import { Workspace } from '../../../src/cli/lsp/workspace.ts';
import { findingsIn } from '../../../src/cli/lsp/findings.ts';

const deployment = (name: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    spec:
      containers:
        - name: app
          ports: [{ name: http, containerPort: 80 }]
          livenessProbe: { httpGet: { port: htpp } } # wrong
`;
const POLICY = `---
apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: a }
spec: { checks: { named-port: { action: Warn } } }
`;

describe('a text with many documents', () => {
  const many = Array.from({ length: 143 }, (_, index) => deployment(`w-${index}`));

  it('judges with a key the document that the key is in, and no other', () => {
    const workspace = new Workspace({
      ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
    });
    workspace.open.set('/a.yaml', many.join(''));
    const before = findingsIn(workspace, '/a.yaml');
    expect(before).toHaveLength(143);
    workspace.open.set('/a.yaml', many.with(70, deployment('other')).join(''));
    const after = findingsIn(workspace, '/a.yaml');
    const kept = new Set(before.map(({ violation }) => violation));
    expect(after.filter(({ violation }) => !kept.has(violation)).map(({ violation }) => violation.name)).toEqual([
      'other',
    ]);
    expect(after[71]?.range.start.line).toBe((before[71]?.range.start.line ?? 0) + 0);
    // A policy concerns all of them.
    workspace.open.set('/p.yaml', POLICY);
    expect(new Set(findingsIn(workspace, '/a.yaml').map(({ violation }) => violation.action))).toEqual(
      new Set(['Warn']),
    );
  });

  it('marks a field of one line to its end, and one of several lines to the end of its first line', () => {
    const workspace = new Workspace({
      ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
    });
    const text = deployment('a').replace('{ httpGet: { port: htpp } } # wrong', '# wrong\n            httpGet: {}');
    const marks = [deployment('a'), text].map((each) => {
      workspace.open.set('/a.yaml', each);
      const [{ range } = { range: undefined }] = findingsIn(workspace, '/a.yaml');
      return each.split('\n')[range?.start.line ?? 0]?.slice(range?.start.character, range?.end.character);
    });
    expect(marks).toEqual(['port: htpp', 'httpGet: {}']);
  });

  it('is in pieces whose texts are the text, and of which none is kept that the text before did not have', () => {
    const first = piecesOf('a', many.join(''), KNOWN_KINDS);
    expect(first.map(({ text }) => text).join('')).toBe(many.join(''));
    const [again] = piecesOf('a', many[0] ?? '', KNOWN_KINDS, first);
    expect(again?.known).toBe(first[0]?.known);
    const [other] = piecesOf('a', many[0] ?? '', KNOWN_KINDS, piecesOf('a', '', KNOWN_KINDS, first));
    expect(other?.known).not.toBe(first[0]?.known);
  });

  it('is cut once, as long as it is the same, and is forgotten when it is closed', () => {
    const workspace = new Workspace({
      ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false, now: () => 0 },
    });
    workspace.open.set('/a.yaml', many.join(''));
    const pieces = workspace.piecesOf('/a.yaml');
    expect(workspace.piecesOf('/a.yaml')).toBe(pieces);
    workspace.close('/a.yaml');
    workspace.open.set('/a.yaml', many.join(''));
    expect(workspace.piecesOf('/a.yaml')[0]?.known).not.toBe(pieces[0]?.known);
  });
});

it('one edit makes any text of any other', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (head, tail, a, b) => {
      const [before, after] = [head + a + tail, head + b + tail];
      const { start, end, text } = differenceOf(before, after);
      expect(before.slice(0, start) + text + before.slice(end)).toBe(after);
      expect(text.length).toBeLessThanOrEqual(b.length);
    }),
  );
});
