/** What eslint.config.js exports beside the configuration. */
interface LintTable {
  readonly rooms: Readonly<Record<string, readonly string[]>>;
  readonly pureRooms: readonly string[];
}

const lintConfig = new URL('../../eslint.config.js', import.meta.url).href;

/** The rooms of src/ and their imports, as the lint holds them. */
export const lintTable = (await import(lintConfig)) as LintTable;
