import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The names that several files export, each with its files. A re-export is no name of its own. */
export function namesExportedTwice(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const exported = files.flatMap((file) => exportedNames(readFileSync(file, 'utf8')).map((name) => ({ name, file })));
  const byName = [...Map.groupBy(exported, ({ name }) => name)].filter(([, places]) => places.length > 1);
  return new Map(byName.map(([name, places]) => [name, places.map(({ file }) => file)]));
}

/** The names that a TypeScript text declares and exports. A type and a value of one name count once. */
export function exportedNames(text: string): readonly string[] {
  const { statements } = ts.createSourceFile('text.ts', text, ts.ScriptTarget.ES2024);
  const isExported = (node: ts.Statement): boolean =>
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const names = statements.filter(isExported).flatMap((statement): string[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
    const { name } = statement as ts.Statement & { readonly name?: ts.Node };
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
  });
  return [...new Set(names)];
}
