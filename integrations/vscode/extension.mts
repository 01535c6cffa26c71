import { homedir } from 'node:os';
import { window, workspace, type ExtensionContext, type WorkspaceFolder } from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, type Executable } from 'vscode-languageclient/node';

const outputChannel = window.createOutputChannel('Probewright', { log: true });
let clients: readonly LanguageClient[] = [];
/** Starts and stops take turns: settings may change while a server starts. */
let turn: Promise<void> = Promise.resolve();

/** Starts a server for each folder, and again when a setting or a folder changes. */
export function activate(context: ExtensionContext): void {
  const restart = (): void => {
    turn = turn.then(() => start(context)).catch((error: unknown) => outputChannel.error(String(error)));
  };
  context.subscriptions.push(
    outputChannel,
    workspace.onDidChangeWorkspaceFolders(restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('probewright')) restart();
    }),
  );
  restart();
}

export async function deactivate(): Promise<void> {
  await turn.then(stop);
}

/** A server that could not be started cannot be stopped either. */
async function stop(): Promise<void> {
  await Promise.allSettled(clients.map((client) => client.dispose()));
}

async function start(context: ExtensionContext): Promise<void> {
  await stop();
  const all = workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? [];
  // Two servers would both fix a file that is in a folder of a folder.
  const folders = all.filter(({ uri }) => !all.some((other) => uri.path.startsWith(`${other.uri.path}/`)));
  const isAlone = folders.length < 2;
  clients = (isAlone ? [folders[0]] : folders).map((folder) => clientFor(context, folder, isAlone));
  const started = Promise.allSettled(clients.map((client) => client.start()));
  // A program that never answers keeps nobody from other settings.
  await Promise.race([started, new Promise((end) => setTimeout(end, 10_000))]);
}

function clientFor(context: ExtensionContext, folder: WorkspaceFolder | undefined, isAlone: boolean): LanguageClient {
  const below = folder && !isAlone ? { pattern: { baseUri: folder.uri.toString(), pattern: '**/*' } } : {};
  const client: LanguageClient = new LanguageClient('probewright', 'Probewright', serverOf(context, folder), {
    documentSelector: ['yaml', 'json', 'helm'].map((language) => ({ language, scheme: 'file', ...below })),
    outputChannel,
    ...(folder && { workspaceFolder: folder }),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        if (client.initializeResult !== undefined) return usual.closed();
        return { action: CloseAction.DoNotRestart, message: 'Probewright ended at its start: see Output, Probewright' };
      },
    },
  });
  const usual = client.createDefaultErrorHandler();
  return client;
}

/** The program of the settings, or the one of the extension, which runs in the editor's own Node. */
function serverOf(context: ExtensionContext, folder: WorkspaceFolder | undefined): Executable {
  const setting = (name: string): string => {
    const text = String(workspace.getConfiguration('probewright', folder).get(name) ?? '');
    return text.replace(/^~(?=\/)/, homedir).replaceAll('${workspaceFolder}', () => folder?.uri.fsPath ?? '');
  };
  const [path, policies, level] = ['path', 'policies', 'level'].map(setting);
  const flags = [...(policies ? ['--policies', policies] : []), ...(level ? ['--min-level', level] : [])];
  const args = ['lsp', '--stdio', ...flags];
  const options = folder === undefined ? {} : { cwd: folder.uri.fsPath };
  if (path) return { command: path, args, options };
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const program = context.asAbsolutePath('server/probewright.js');
  return { command: process.execPath, args: [program, ...args], options: { ...options, env } };
}
