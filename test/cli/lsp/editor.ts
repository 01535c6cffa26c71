import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { CodeAction, Diagnostic, Hover, TextEdit } from 'vscode-languageserver';

const PROGRAM = resolve('src/probewright.js');

/** An editor with a folder, and the server as its child. */
export interface Editor {
  readonly folder: string;
  /** The process of the server. */
  readonly pid: number;
  readonly write: (file: string, text: string) => void;
  readonly open: (file: string, text: string) => Promise<void>;
  /** Without a text: a change that changes nothing. */
  readonly change: (file: string, text?: string) => Promise<void>;
  readonly close: (file: string) => Promise<void>;
  readonly save: (file: string) => Promise<void>;
  /** Tells the server that files of the folder have changed. */
  readonly changedOnDisk: (...files: readonly string[]) => Promise<void>;
  /** What a file shows once the server has answered everything before. */
  readonly shown: (file: string) => Promise<readonly Diagnostic[]>;
  readonly actions: (file: string, only?: string) => Promise<readonly CodeAction[]>;
  readonly hover: (file: string, line: number, character?: number) => Promise<string | undefined>;
  /** How often the server has published for a file. */
  readonly published: (file: string) => number;
  /** What the server wrote to standard error, and its exit code. */
  readonly quit: () => Promise<{ readonly code: number; readonly errors: string }>;
}

export async function startEditor(
  files: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = process.env,
  program = PROGRAM,
  root = '.',
): Promise<Editor> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'probewright-lsp-')));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const child = spawn(process.execPath, [program, 'lsp', '--stdio', ...flags], { cwd: folder, env });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = once(child, 'exit');
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const found = new Map<string, readonly Diagnostic[]>();
  const counts = new Map<string, number>();
  connection.onNotification(
    'textDocument/publishDiagnostics',
    ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      found.set(uri, diagnostics);
      counts.set(uri, (counts.get(uri) ?? 0) + 1);
    },
  );
  connection.listen();
  const uriOf = (file: string): string => pathToFileURL(join(folder, file)).href;
  const tell = (method: string, params: object): Promise<void> => connection.sendNotification(method, params);
  const textDocument = (file: string) => ({ textDocument: { uri: uriOf(file) } });
  await connection.sendRequest('initialize', {
    ...{ processId: process.pid, rootUri: pathToFileURL(join(folder, root)).href, capabilities: {} },
  });
  await tell('initialized', {});
  return {
    folder,
    pid: child.pid ?? NaN,
    write,
    open: (file, text) =>
      tell('textDocument/didOpen', { textDocument: { uri: uriOf(file), languageId: 'yaml', version: 1, text } }),
    change: (file, text) =>
      tell('textDocument/didChange', {
        textDocument: { uri: uriOf(file), version: 2 },
        contentChanges: text === undefined ? [] : [{ text }],
      }),
    close: (file) => tell('textDocument/didClose', textDocument(file)),
    save: (file) => tell('textDocument/didSave', textDocument(file)),
    changedOnDisk: (...files) =>
      tell('workspace/didChangeWatchedFiles', { changes: files.map((file) => ({ uri: uriOf(file), type: 2 })) }),
    shown: async (file) => {
      // The answer comes after what is published for all that was told before.
      await connection.sendRequest('textDocument/hover', {
        ...textDocument(file),
        position: { line: 0, character: 0 },
      });
      return found.get(uriOf(file)) ?? [];
    },
    actions: (file, only) => {
      const range = { start: { line: 0, character: 0 }, end: { line: 100_000, character: 0 } };
      const context = { diagnostics: [], ...(only !== undefined && { only: [only] }) };
      return connection.sendRequest('textDocument/codeAction', { ...textDocument(file), range, context });
    },
    hover: async (file, line, character = 0) => {
      const params = { ...textDocument(file), position: { line, character } };
      const hover: Hover | null = await connection.sendRequest('textDocument/hover', params);
      return (hover?.contents as { readonly value: string } | undefined)?.value;
    },
    published: (file) => counts.get(uriOf(file)) ?? 0,
    quit: async () => {
      await connection.sendRequest('shutdown');
      await tell('exit', {});
      const [code] = (await exited) as [number];
      connection.dispose();
      rmSync(folder, { recursive: true });
      return { code, errors };
    },
  };
}

/** A text after the edits of an action. */
export function edited(text: string, { edit }: CodeAction): string {
  const edits: readonly TextEdit[] = Object.values(edit?.changes ?? {}).flat();
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const offset = ({ line, character }: TextEdit['range']['start']): number => (starts[line] ?? text.length) + character;
  return edits
    .toSorted((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce((whole, { range, newText }) => {
      return whole.slice(0, offset(range.start)) + newText + whole.slice(offset(range.end));
    }, text);
}

/** The part of a text that a diagnostic marks. */
export function marked(text: string, { range: { start, end } }: Diagnostic): string {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  if (lines.length === 1) return (lines[0] ?? '').slice(start.character, end.character);
  return lines.join('\n');
}
