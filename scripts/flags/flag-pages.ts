import { commandTable, flagTables } from './flag-table.ts';
import { COMMAND_DEFINITIONS, COMMAND_TABLE } from '../../src/cli/command-table.ts';

/** The page of docs/ for each command with flags. */
const PAGES = {
  serve: 'configuration.md',
  observe: 'observer.md',
  check: 'check.md',
  fix: 'fix.md',
  explain: 'explain.md',
  plan: 'plan.md',
  report: 'report.md',
  snapshot: 'snapshot.md',
  starts: 'learned.md',
  try: 'try.md',
  checks: 'cli.md',
} as const;

/** The tables in docs/ that come from the table of commands. */
const TABLES: readonly { readonly page: string; readonly name: string; readonly text: string }[] = [
  { page: 'cli.md', name: 'commands', text: commandTable(COMMAND_DEFINITIONS) },
  ...Object.entries(PAGES).map(([command, page]) => ({
    page,
    name: `flags of ${command}`,
    text: flagTables(COMMAND_TABLE[command as keyof typeof PAGES]),
  })),
];

const END = '<!-- end of table -->\n';

/** The pages with their tables renewed, by name. */
export function pagesWithFlags(read: (page: string) => string): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const { page, name, text } of TABLES) {
    const start = `<!-- ${name}: npm run generate:flags -->\n`;
    const [before = '', rest = ''] = (pages.get(page) ?? read(page)).split(start);
    const [, ...after] = rest.split(END);
    if (after.length === 0) throw new Error(`docs/${page} has no place for a table: ${start}${END}`);
    pages.set(page, `${before}${start}\n${text}\n${END}${after.join(END)}`);
  }
  return pages;
}
