import { workspace, type ExtensionContext } from 'vscode';
import { LanguageClient, type Executable } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

/** Starts the server for the open folder, and again when a setting changes. */
export async function activate(context: ExtensionContext): Promise<void> {
  await start(context);
  context.subscriptions.push(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('probewright')) void deactivate().then(() => start(context));
    }),
  );
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(context: ExtensionContext): Promise<void> {
  const languages = ['yaml', 'json', 'helm'];
  const documentSelector = languages.map((language) => ({ language, scheme: 'file' }));
  client = new LanguageClient('probewright', 'Probewright', serverOf(context), { documentSelector });
  await client.start();
}

/** The program of the settings, or the one of the extension, which runs in the editor's own Node. */
function serverOf(context: ExtensionContext): Executable {
  const setting = (name: string): string => workspace.getConfiguration('probewright').get(name, '');
  const [path, policies, level] = ['path', 'policies', 'level'].map(setting);
  const flags = [...(policies ? ['--policies', policies] : []), ...(level ? ['--min-level', level] : [])];
  const args = ['lsp', '--stdio', ...flags];
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const options = cwd === undefined ? {} : { cwd };
  if (path) return { command: path, args, options };
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const program = context.asAbsolutePath('server/probewright.js');
  return { command: process.execPath, args: [program, ...args], options: { ...options, env } };
}
