import { commandsOfScript } from './commands.ts';
import { readScript, type Node } from './script.ts';
import { invocationOf, shellInvocationOf } from './words.ts';

/** The command line of a container: its words, and the script behind `sh -c`, where it was read. */
interface Line {
  readonly words: readonly { readonly text: string }[];
  readonly script: string | undefined;
}

/** Entry points in front of the program that does the work, at most. */
const MOST_WRAPPERS = 4;

/**
 * The programs that may be the main process of a container once it has started, as they are written: `redis-server` for
 * `docker-entrypoint.sh redis-server`, `postgres` for `sh -c "cd /data && exec postgres"`. In a script they are what
 * `exec` starts, and the last command of each way. None where the line begins with an option of the image's program.
 */
export function mainPrograms({ words, script }: Line): readonly string[] {
  if (script === undefined) return startedBy(words.map(({ text }) => text));
  const tree = readScript(script);
  // A text that is no script starts nothing that is known.
  if (tree === undefined) return [];
  const executed = commandsOfScript(script, tree).commands.filter((command) => command.words[0] === 'exec');
  const last = lastCommands(tree);
  return [...executed.map((command) => command.words), ...last].flatMap(startedBy);
}

/** The program that a command line starts, and the entry points in front of it. */
function startedBy(argv: readonly string[], wrappers = 0): readonly string[] {
  if (argv[0]?.startsWith('-') === true) return [];
  const invocation = invocationOf(argv);
  if (invocation === undefined) return [];
  const shell = shellInvocationOf(argv, invocation);
  if (shell !== undefined && shell.fileAt === undefined) return [];
  const at = shell?.fileAt ?? invocation.at;
  const program = argv[at] ?? '';
  const isWrapper = program.endsWith('.sh') && wrappers < MOST_WRAPPERS;
  return [program, ...(isWrapper ? startedBy(argv.slice(at + 1), wrappers + 1) : [])];
}

/** The commands at which the ways through a script end, each with its words. */
function lastCommands(node: Node): readonly (readonly string[])[] {
  switch (node.type) {
    case 'command':
      return [node.words.map(({ text }) => text)];
    case 'list': {
      const item = node.items.at(-1);
      return item === undefined || item.isBackground ? [] : lastCommands(item.node);
    }
    case 'and':
      return lastCommands(node.right);
    case 'or':
      return [...lastCommands(node.left), ...lastCommands(node.right)];
    case 'not':
      return lastCommands(node.node);
    case 'pipe':
      return node.stages.flatMap(lastCommands);
    case 'if':
      return [...lastCommands(node.yes), ...(node.no === undefined ? [] : lastCommands(node.no))];
    case 'case':
      return node.branches.flatMap(({ body }) => lastCommands(body));
    case 'function':
      return [];
    default:
      return lastCommands(node.body);
  }
}
