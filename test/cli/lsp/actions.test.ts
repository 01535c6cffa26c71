import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { actionsIn, FIX_ALL } from '../../../src/cli/lsp/actions.ts';
import { diagnosticsOf } from '../../../src/cli/lsp/findings.ts';
import { Workspace } from '../../../src/cli/lsp/workspace.ts';
import { runProbewright } from '../run-probewright.ts';
import { edited } from './editor.ts';
import type { CodeAction } from 'vscode-languageserver';

const WHOLE = { start: { line: 0, character: 0 }, end: { line: 100_000, character: 0 } };

function opened(path: string, text: string): Workspace {
  const workspace = new Workspace({
    ...{ policies: undefined, minLevel: undefined, kinds: KNOWN_KINDS, hasFolder: false },
    now: () => Date.parse('2026-11-20T12:00:00Z'),
  });
  workspace.open.set(path, text);
  return workspace;
}

const actionsOf = (path: string, text: string, only?: string): CodeAction[] =>
  actionsIn(opened(path, text), path, `file://${path}`, WHOLE, only === undefined ? {} : { only: [only] });

/** The manifests that a check finds something in, a few for each check. */
const files = readdirSync('test/fixtures/checks', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\/fail\/[^/]+\.yaml$/.test(file))
  .map((file) => join('test/fixtures/checks', file));

const POD = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers:
    - name: web
      image: web:1
      ports: [{ name: http, containerPort: 80 }]
      readinessProbe:
        httpGet: { path: /, port: http }
`;
const FLOW = `{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [
  { name: web, image: 'web:1', ports: [{ name: http, containerPort: 80 }], livenessProbe: { tcpSocket: { port: htpp } } },
] } }
`;

describe('the actions of an editor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'probewright-actions-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'a.yaml');
  const advised = async (text: string): Promise<string> => {
    writeFileSync(file, text);
    const { stdout } = await runProbewright(['fix', file, '--advice', '--now', '2026-11-20T12:00:00Z']);
    return stdout;
  };

  it('fix all as fix --advice does, byte for byte', async () => {
    expect(files.length).toBeGreaterThan(50);
    let changed = 0;
    for (const each of files) {
      const text = readFileSync(each, 'utf8');
      const [action] = actionsOf(file, text, FIX_ALL);
      const after = action === undefined ? text : edited(text, action);
      expect([each, after]).toEqual([each, await advised(text)]);
      if (after !== text) changed += 1;
    }
    expect(changed).toBeGreaterThan(20);
  });

  it('fix a text with one finding as fix --advice does', async () => {
    let fixes = 0;
    for (const each of files) {
      const text = readFileSync(each, 'utf8');
      const workspace = opened(file, text);
      if (diagnosticsOf(workspace, [file]).get(file)?.length !== 1) continue;
      const action = actionsOf(file, text, 'quickfix').find(({ isPreferred }) => isPreferred === true);
      if (action === undefined) continue;
      expect([each, edited(text, action)]).toEqual([each, await advised(text)]);
      fixes += 1;
    }
    expect(fixes).toBeGreaterThan(20);
  });

  it('change only the document with the finding', () => {
    const text = readFileSync('test/fixtures/checks/named-port/fail/the-name-is-misspelt.yaml', 'utf8');
    const around = (document: string): string => `kind: First\n---\n${document}---\nkind: Last\n`;
    const alone = actionsOf(file, text, 'quickfix').map((action) => edited(text, action));
    expect(alone.length).toBeGreaterThan(1);
    const actions = actionsOf(file, around(text), 'quickfix');
    expect(actions.map((action) => edited(around(text), action))).toEqual(alone.map(around));
  });

  it('ignore a finding by a comment after which it is gone, and no other finding with it', () => {
    let comments = 0;
    for (const each of files) {
      const text = readFileSync(each, 'utf8');
      const before = diagnosticsOf(opened(file, text), [file]).get(file) ?? [];
      for (const action of actionsOf(file, text, 'quickfix').filter(({ title }) => title.startsWith('Ignore '))) {
        const check = action.diagnostics?.[0]?.code;
        const after = diagnosticsOf(opened(file, edited(text, action)), [file]).get(file) ?? [];
        expect(after.length).toBeLessThan(before.length);
        expect(after.filter(({ code }) => code !== check)).toHaveLength(
          before.filter(({ code }) => code !== check).length,
        );
        comments += 1;
      }
    }
    expect(comments).toBeGreaterThan(20);
  });

  it('fix the finding that was asked for, and not another one of its check in its container', () => {
    const text = POD.replace('port: http }', 'port: http }\n        failureTreshold: 3\n        timeoutSecond: 1');
    const titles = ['failureThreshold', 'timeoutSeconds'].map((name) => `Fix: write "${name}" (valid-probe)`);
    const fixes = titles.map((each) => actionsOf(file, text, 'quickfix').find(({ title }) => title === each));
    expect(fixes.map((fix) => fix && edited(text, fix))).toEqual([
      text.replace('failureTreshold', 'failureThreshold'),
      text.replace('timeoutSecond:', 'timeoutSeconds:'),
    ]);
  });

  it('are offered on the whole line of a finding, and those of the file only when somebody asks', () => {
    const text = POD.replace('port: http }', 'port: htpp }');
    const [wrong, above] = [9, 7].map((line) => ({ start: { line, character: 0 }, end: { line, character: 0 } }));
    const kinds = (range: typeof wrong, context: Parameters<typeof actionsIn>[4]): unknown =>
      range && actionsIn(opened(file, text), file, `file://${file}`, range, context).map(({ kind }) => kind);
    expect(text.split('\n')[9]).toContain('htpp');
    expect(kinds(wrong, { triggerKind: 1 })).toEqual(['quickfix', 'quickfix', FIX_ALL]);
    expect(kinds(wrong, { triggerKind: 2 })).toEqual(['quickfix', 'quickfix']);
    expect(kinds(above, {})).toEqual([FIX_ALL]);
    // On save, editors ask for a kind by themselves.
    expect(kinds(above, { only: ['source.fixAll'], triggerKind: 2 })).toEqual([FIX_ALL]);
  });

  it('are none for a template, and none of the whole file beside one', () => {
    const typo = POD.replace('port: http }', 'port: htpp }');
    const template = typo.replace('web:1', '"{{ image }}"');
    expect(actionsOf(file, template)).toEqual([]);
    expect(actionsOf(file, `${typo}---\n${template}`).map(({ kind }) => kind)).toEqual(['quickfix', 'quickfix']);
    const unknown = (image: string): string => typo.replace('image: web:1', image);
    expect(actionsOf(file, unknown('image: web:1\n      startupProbe: { exec: { command: ["{{ cmd }}"] } }'))).toEqual(
      [],
    );
    expect(actionsOf(file, typo.replace('{ name: web }', '{ name: web, labels: { env: "{{ env }}" } }'))).toEqual([]);
    const verbatim = typo.replace('image: web:1', 'image: web:1 # {{ x }}\n      args: ["--format={{ .Name }}"]');
    expect(actionsOf(file, verbatim).map(({ kind }) => kind)).toEqual(['quickfix', 'quickfix', FIX_ALL]);
  });

  it('are judged in a text that aliases make large', () => {
    const long = `&a "${'x'.repeat(100_000)}"`;
    const labels = Array.from({ length: 6000 }, (_, index) => `l${index}: *a`).join(', ');
    const typo = POD.replace('port: http }', 'port: htpp }').replace(
      '{ name: web }',
      `{ name: web, labels: { l: ${long}, ${labels} } }`,
    );
    expect(actionsOf(file, `# {{ x }}\n${typo}`, 'quickfix').length).toBeGreaterThan(0);
  });

  it('do in a text with a byte order mark what they do in one without', () => {
    const json = JSON.stringify(parse(POD.replace('port: http }', 'port: htpp }')));
    for (const text of [json, POD.replace('port: http }', 'port: htpp }'), FLOW])
      expect(actionsOf(file, `\uFEFF${text}`).map((action) => edited(`\uFEFF${text}`, action))).toEqual(
        actionsOf(file, text).map((action) => `\uFEFF${edited(text, action)}`),
      );
  });

  it('offer a comment only where the text stays what it is, and nothing else falls silent', () => {
    const typo = POD.replace('port: http }', 'port: htpp }');
    const json = JSON.stringify(parse(typo), null, 2);
    const ignoresOf = (text: string): number =>
      actionsOf(file, text, 'quickfix').filter(({ title }) => title.startsWith('Ignore ')).length;
    expect([typo, FLOW, json, json + json].map(ignoresOf)).toEqual([1, 1, 0, 0]);
  });
});
