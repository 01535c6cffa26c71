import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import {
  CodeActionKind,
  createConnection,
  DidChangeWatchedFilesNotification,
  MarkupKind,
  TextDocumentSyncKind,
  WatchKind,
  type Connection,
  type Diagnostic,
  type FileSystemWatcher,
  type InitializeParams,
  type InitializeResult,
} from 'vscode-languageserver/node';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { isWithin, isYamlFile } from '../../base/files/yaml-files.ts';
import { VERSION } from '../../base/version.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { isChart } from '../input/charts.ts';
import { NO_TEXTS } from '../input/manifests.ts';
import { EXIT_OK, UsageError, type CommandIo } from '../io.ts';
import { actionsIn, FIX_ALL } from './actions.ts';
import { RenderedChart } from './chart-findings.ts';
import { diagnosticsOf } from './findings.ts';
import { hoverAt } from './hover.ts';
import { Workspace } from './workspace.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { LSP } from './definition.ts';

/** A burst of keys is answered once. */
const PAUSE = 40;
/** The heap grows by a half before it is swept: half the memory beside an editor, for a tenth more time a key. */
const HEAP_FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];
/** Of a folder that is moved or removed, editors name the folder alone. */
const WATCHERS: FileSystemWatcher[] = [
  { globPattern: '**/*.{yaml,yml,json,tpl}' },
  { globPattern: '**', kind: WatchKind.Delete },
];

/** Speaks with an editor until the editor ends the session. */
export async function runLsp({ flags }: ParsedCommandLine<typeof LSP.flags>, io: CommandIo): Promise<number> {
  if (!flags.stdio) throw new UsageError('write --stdio: editors start the server with it');
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  const kinds = await loadWorkloadKinds(flags['workload-kinds']);
  // Paths of flags are relative to where the server was started.
  const policies = flags.policies === undefined ? undefined : resolve(flags.policies);
  const connection = createConnection(process.stdin, process.stdout);
  const session = new Session(connection, (hasFolder) => {
    return new Workspace({ policies, minLevel: flags['min-level'], kinds, now: () => io.now(), hasFolder });
  });
  const { promise, resolve: end } = Promise.withResolvers<number>();
  connection.onExit(() => end(EXIT_OK));
  session.listen();
  return await promise;
}

class Session {
  readonly #connection: Connection;
  readonly #workspaceFor: (hasFolder: boolean) => Workspace;
  #workspace: Workspace;
  readonly #shown = new Map<string, string>();
  /** The charts as they were rendered last, by directory. */
  readonly #charts = new Map<string, RenderedChart>();
  /** The charts that wait to be rendered. */
  readonly #waiting = new Set<string>();
  #renders = Promise.resolve();
  /** The path of each open file, by its address. It is the same until the file is closed. */
  readonly #paths = new Map<string, string>();
  /** The address of each file that had findings when it was not open. */
  readonly #closed = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isRead = Promise.resolve();
  #answered = Promise.resolve();
  #mustRead = true;
  #canWatch = false;
  #wantsMarkdown = false;

  constructor(connection: Connection, workspaceFor: (hasFolder: boolean) => Workspace) {
    this.#connection = connection;
    this.#workspaceFor = workspaceFor;
    this.#workspace = workspaceFor(false);
  }

  listen(): void {
    const connection = this.#connection;
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => this.#watch());
    connection.onDidOpenTextDocument(({ textDocument: { uri, text } }) => {
      this.#paths.set(uri, pathOfUri(uri));
      this.#setText(uri, text);
    });
    connection.onDidChangeTextDocument(({ textDocument: { uri }, contentChanges }) => {
      this.#setText(uri, contentChanges.at(-1)?.text);
    });
    connection.onDidCloseTextDocument(({ textDocument: { uri } }) => {
      const path = this.#pathOf(uri);
      this.#paths.delete(uri);
      // A link to the file may be open, too.
      if (![...this.#paths.values()].includes(path)) this.#workspace.close(path);
      this.#show(uri, []);
      this.#schedule();
    });
    connection.onDidSaveTextDocument(
      ({ textDocument: { uri } }) => void this.#saved(this.#pathOf(uri)).catch((error: unknown) => this.#tell(error)),
    );
    connection.onDidChangeWatchedFiles(({ changes }) => {
      const paths = changes.map(({ uri }) => this.#pathOf(uri)).filter((path) => this.#mayMatter(path));
      if (paths.length > 0) this.#readAgain();
      for (const path of paths) this.#renderAgain(path);
    });
    connection.onHover(async ({ textDocument: { uri }, position }) => {
      await this.#settled();
      const path = this.#pathOf(uri);
      return (await this.#judged()).includes(path)
        ? hoverAt(this.#workspace, path, position, this.#wantsMarkdown)
        : undefined;
    });
    connection.onCodeAction(async ({ textDocument: { uri }, range, context }) => {
      const path = this.#pathOf(uri);
      return (await this.#judged()).includes(path) ? actionsIn(this.#workspace, path, uri, range, context) : [];
    });
    connection.listen();
  }

  #initialize(params: InitializeParams): InitializeResult {
    const { workspaceFolders, capabilities } = params;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- each of several servers has its own
    const root = params.rootUri ?? workspaceFolders?.[0]?.uri;
    // The commands take paths, the project file and excluded files relative to the working directory.
    this.#workspace = this.#workspaceFor(root !== undefined && entersFolder(root));
    this.#canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    this.#wantsMarkdown = capabilities.textDocument?.hover?.contentFormat?.[0] === MarkupKind.Markdown;
    return {
      serverInfo: { name: 'probewright', version: VERSION },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Full, save: true },
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL] },
      },
    };
  }

  #watch(): void {
    if (this.#canWatch)
      void this.#connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: WATCHERS,
      });
    this.#schedule();
  }

  #setText(uri: string, text: string | undefined): void {
    const path = this.#paths.get(uri);
    if (path === undefined || text === undefined) return;
    this.#workspace.open.set(path, text);
    this.#schedule();
  }

  #pathOf(uri: string): string {
    return this.#paths.get(uri) ?? pathOfUri(uri);
  }

  #readAgain(): void {
    this.#mustRead = true;
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#settled(), PAUSE);
  }

  /** Resolves when all that the editor has said is answered. */
  async #settled(): Promise<void> {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#answered = this.#answered.then(() => this.#publish()).catch((error: unknown) => this.#tell(error));
    }
    await this.#answered;
  }

  #tell(error: unknown): void {
    this.#connection.console.error(messageOf(error));
  }

  /** The open files whose documents are judged as they are. */
  async #judged(): Promise<readonly string[]> {
    await this.#upToDate();
    return await this.#workspace.openManifests();
  }

  async #upToDate(): Promise<void> {
    if (this.#mustRead) {
      this.#mustRead = false;
      this.#isRead = this.#isRead.then(() => this.#workspace.read()).catch((error: unknown) => this.#tell(error));
    }
    await this.#isRead;
  }

  async #publish(): Promise<void> {
    const found = diagnosticsOf(this.#workspace, await this.#judged());
    const diagnosticsIn = (path: string): Diagnostic[] => found.get(path) ?? this.#ofChart(path);
    for (const [uri, path] of this.#paths) this.#show(uri, diagnosticsIn(path));
    const open = new Set(this.#paths.values());
    const told = [...found.keys(), ...[...this.#charts.values()].flatMap((chart) => [...chart.found.keys()])];
    for (const path of told) if (!open.has(path)) this.#closed.set(path, pathToFileURL(path).href);
    // An editor may write the address of an open file in another way.
    for (const [path, uri] of this.#closed)
      if (!this.#paths.has(uri)) this.#show(uri, open.has(path) ? [] : diagnosticsIn(path));
  }

  /** A chart is rendered when one of its files is saved. */
  async #saved(path: string): Promise<void> {
    if (!this.#canWatch) this.#readAgain();
    await this.#upToDate();
    const part = await this.#workspace.partOf(path);
    if (part.kind === 'chart') this.#render(part.directory);
    else if (!this.#canWatch) this.#renderAgain(path);
  }

  /** False for a file that nothing reads, such as what a build removes. */
  #mayMatter(path: string): boolean {
    const isAround = (directory: string): boolean => isWithin(path, directory);
    return (
      isYamlFile(path) ||
      path.endsWith('.tpl') ||
      this.#workspace.readsBelow(path) ||
      [...this.#charts.keys()].some(isAround)
    );
  }

  /** Findings of a chart may be out of date when a file of it changes, or a folder around it. */
  #renderAgain(path: string): void {
    for (const directory of this.#charts.keys())
      if (isWithin(directory, path) || isWithin(path, directory) || this.#workspace.isOfValues(path))
        this.#render(directory);
  }

  #render(directory: string): void {
    // One that waits is rendered with all that is saved until then.
    if (this.#waiting.has(directory)) return;
    this.#waiting.add(directory);
    const render = async (): Promise<void> => {
      this.#waiting.delete(directory);
      await this.#upToDate();
      const rendered = isChart(directory) ? await this.#workspace.texts([directory], true) : NO_TEXTS;
      this.#charts.set(directory, new RenderedChart(this.#workspace, directory, rendered));
      this.#schedule();
    };
    this.#renders = this.#renders.then(render).catch((error: unknown) => this.#tell(error));
  }

  #ofChart(path: string): Diagnostic[] {
    return [...this.#charts.values()].findLast((chart) => chart.concerns(path))?.findingsIn(path) ?? [];
  }

  #show(uri: string, diagnostics: Diagnostic[]): void {
    const shown = JSON.stringify(diagnostics);
    if ((this.#shown.get(uri) ?? '[]') === shown) return;
    this.#shown.set(uri, shown);
    void this.#connection.sendDiagnostics({ uri, diagnostics });
  }
}

/** False for the address of no folder of this machine. */
function entersFolder(uri: string): boolean {
  try {
    process.chdir(fileURLToPath(uri));
    return true;
  } catch {
    return false;
  }
}

/** The path of a file; the address itself for a text that is in no file. */
function pathOfUri(uri: string): string {
  try {
    return realPath(fileURLToPath(uri));
  } catch {
    return uri;
  }
}

/** The path without links, also of a file that was never saved. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const directory = dirname(path);
    return directory === path ? path : join(realPath(directory), basename(path));
  }
}
