import { actionTable } from './action-table.ts';
import { alertTable } from './alert-table.ts';
import { causeTables } from './cause-table.ts';
import { checkTable } from './check-table.ts';
import { constructTable } from './construct-table.ts';
import { fieldTables } from './field-table.ts';
import { foreignTable } from './foreign-table.ts';
import { kindTable } from './kind-table.ts';
import { limitTables } from './limit-tables.ts';
import { portTable } from './port-table.ts';
import { metricTable, observerMetricTable } from './metric-table.ts';
import { commandTable, flagTables, otherFlagTables, sharedFlags } from './flag-table.ts';
import { COMMAND_DEFINITIONS, COMMAND_TABLE } from '../../src/cli/command-table.ts';
import type { CommandDefinition } from '../../src/cli/flags/flag.ts';

/** The page of docs/ for each command with flags. */
const PAGES = {
  serve: 'operate.md',
  observe: 'observer.md',
  check: 'commands.md',
  fix: 'commands.md',
  explain: 'explain.md',
  plan: 'commands.md',
  report: 'commands.md',
  export: 'native.md',
  snapshot: 'commands.md',
  starts: 'commands.md',
  try: 'try.md',
  checks: 'commands.md',
  lsp: 'integrations.md',
} as const;

/** The page of a table of fields; docs/policies.md has the others. */
const FIELD_PAGES: Readonly<Record<string, string>> = {
  'fields of exceptions': 'exceptions.md',
  'what policies allow': 'exceptions.md',
  'learned start times': 'observer.md',
};

/** The flags of `check` that other commands have too. One table lists them; the tables of commands name them only. */
const SHARED = sharedFlags(COMMAND_TABLE.check, [COMMAND_TABLE.plan, COMMAND_TABLE.fix]);

/** The tables in docs/ that come from the code: what a table has, no sentence says again. */
const TABLES: readonly { readonly page: string; readonly name: string; readonly text: string }[] = [
  { page: 'commands.md', name: 'commands', text: commandTable(COMMAND_DEFINITIONS) },
  { page: 'commands.md', name: 'flags of all inputs', text: flagTables(SHARED) },
  ...Object.entries(PAGES).map(([command, page]) => ({
    page,
    name: `flags of ${command}`,
    text: tablesOf(command as keyof typeof PAGES),
  })),
  ...Object.entries(limitTables()).map(([name, text]) => ({ page: 'limits.md', name, text })),
  { page: 'observability.md', name: 'metrics', text: metricTable() },
  { page: 'observability.md', name: 'alerts', text: alertTable() },
  { page: 'defaulting.md', name: 'words of ports', text: portTable() },
  { page: 'checks.md', name: 'checks', text: checkTable() },
  { page: 'checks.md', name: 'custom kinds', text: kindTable() },
  { page: 'observer.md', name: 'metrics', text: observerMetricTable() },
  { page: 'observer.md', name: 'causes', text: causeTables() },
  ...Object.entries(fieldTables()).map(([name, text]) => ({ page: FIELD_PAGES[name] ?? 'policies.md', name, text })),
  { page: 'comparison.md', name: 'exceptions', text: foreignTable() },
  { page: 'native.md', name: 'constructs', text: constructTable() },
  { page: 'integrations.md', name: 'inputs', text: actionTable() },
];

function tablesOf(command: keyof typeof PAGES): string {
  const definition: CommandDefinition = COMMAND_TABLE[command];
  if (command === 'serve') return flagTables(definition);
  if (command === 'observe') return otherFlagTables(definition, COMMAND_TABLE.serve, 'operate.md#flags');
  return otherFlagTables(definition, SHARED, PAGES[command] === 'commands.md' ? '#inputs' : 'commands.md#inputs');
}

const END = '<!-- end of table -->\n';

/** The pages with their tables renewed, by name. */
export function generatedPages(read: (page: string) => string): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const { page, name, text } of TABLES) {
    const start = `<!-- ${name}: npm run generate:reference -->\n`;
    const [before = '', rest = ''] = (pages.get(page) ?? read(page)).split(start);
    const [, ...after] = rest.split(END);
    if (after.length === 0) throw new Error(`docs/${page} has no place for a table: ${start}${END}`);
    pages.set(page, `${before}${start}\n${text}\n${END}${after.join(END)}`);
  }
  return pages;
}
