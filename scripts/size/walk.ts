import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { closureOf } from './measure.ts';

/** What a reader does who follows a value: a stay is a run of functions in one file. */
export interface Walk {
  /** The files in the order of the stays. */
  readonly stays: readonly string[];
  /** Stays in a file that imports, directly or not, the file that was just left. */
  readonly climbs: number;
}

interface Source {
  readonly functions: ReadonlyMap<string, ts.SignatureDeclaration>;
  /** The names that a file imports, each with the file and its name there. */
  readonly imported: ReadonlyMap<string, readonly [file: string, name: string]>;
}

/**
 * Follows the parameters of a function: through its body in the order of the text, into each function of the folder
 * that is given something of them, once. Methods and lazily loaded files are not entered.
 *
 * @param folder such as `src/cli/`
 */
export function walkOf(
  start: string,
  name: string,
  folder: string,
  graph: ReadonlyMap<string, readonly string[]>,
): Walk {
  const read: string[] = [];
  const entered = new Set<string>();
  const enter = (file: string, own: string, given: readonly number[]): void => {
    const source = sourceOf(file);
    const found = source.functions.get(own);
    if (found === undefined || entered.has(`${file} ${own}`)) return;
    entered.add(`${file} ${own}`);
    read.push(file);
    const followed = new Set(given.flatMap((index) => namesIn(found.parameters[index]?.name)));
    const isFollowed = (node: ts.Node): boolean => {
      if (ts.isIdentifier(node)) return followed.has(node.text);
      if (ts.isPropertyAccessExpression(node)) return isFollowed(node.expression);
      return ts.forEachChild(node, (child) => isFollowed(child) || undefined) ?? false;
    };
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node)) return;
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
        const [target, there] = source.imported.get(node.expression.text) ?? [file, node.expression.text];
        const taken = node.arguments.flatMap((argument, index) => (isFollowed(argument) ? [index] : []));
        if (taken.length > 0 && target.startsWith(folder)) enter(target, there, taken);
      }
      ts.forEachChild(node, visit);
      if (ts.isVariableDeclaration(node) && node.initializer !== undefined && isFollowed(node.initializer))
        for (const each of namesIn(node.name)) followed.add(each);
    };
    ts.forEachChild(found, visit);
  };
  enter(start, name, [0]);
  const stays = read.filter((file, index) => file !== read[index - 1]);
  const climbs = stays.filter((file, index) => index > 0 && closureOf(file, graph).has(stays[index - 1] ?? ''));
  return { stays, climbs: climbs.length };
}

function namesIn(name: ts.BindingName | undefined): string[] {
  if (name === undefined) return [];
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

function sourceOf(file: string): Source {
  const functions = new Map<string, ts.SignatureDeclaration>();
  const imported = new Map<string, readonly [string, string]>();
  for (const statement of ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2024).statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined)
      functions.set(statement.name.text, statement);
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name) && initializer !== undefined && ts.isArrowFunction(initializer))
          functions.set(name.text, initializer);
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (!statement.moduleSpecifier.text.startsWith('.')) continue;
    const names = statement.importClause?.namedBindings;
    const target = join(dirname(file), statement.moduleSpecifier.text);
    if (names !== undefined && ts.isNamedImports(names))
      for (const { name, propertyName } of names.elements)
        imported.set(name.text, [target, (propertyName ?? name).text]);
  }
  return { functions, imported };
}
