import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '../../src');

/** An import of a declaration, as TypeScript prints it. */
const IMPORT = /(\b(?:from|import\()\s*['"]\.[^'"]+)\.ts(['"])/g;

/**
 * The declarations that the API needs, by name below `types/`. TypeScript prints one for each module of the program;
 * most of them say nothing to a user of the API.
 *
 * @throws Error when the API cannot be compiled
 */
export function declarations(entry = 'package/api/index.d.ts'): Map<string, string> {
  const all = printed();
  const reached = new Map<string, string>();
  const waiting = [entry];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    const text = all.get(name);
    if (text === undefined) throw new Error(`there is no declaration ${name}`);
    // A declaration names modules as they are at run time.
    reached.set(name, text.replaceAll(IMPORT, '$1.js$2'));
    for (const [, start = ''] of text.matchAll(IMPORT)) {
      const [, path = ''] = /['"](.*)$/.exec(start) ?? [];
      waiting.push(join(dirname(name), `${path}.d.ts`));
    }
  }
  return new Map([...reached].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A declaration twice: TypeScript takes a `.d.ts` of this package for an ES module, which a file of CommonJS may not
 * require with `module: node16`.
 */
export function forBothModuleSystems([name, text]: readonly [string, string]): (readonly [string, string])[] {
  const required = text.replaceAll(/(\b(?:from|import\()\s*['"]\.[^'"]+)\.js(['"])/g, '$1.cjs$2');
  return [
    [name, text],
    [name.replace(/\.d\.ts$/, '.d.cts'), required],
  ];
}

function printed(): Map<string, string> {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: SOURCE,
    outDir: SOURCE,
  };
  const program = ts.createProgram([join(SOURCE, 'package/api/index.ts')], options);
  const texts = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => texts.set(relative(SOURCE, path), text));
  const [problem] = diagnostics;
  if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  return texts;
}
