import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isWithin } from '../../base/files/yaml-files.ts';
import { checkManifests } from '../check/check-manifests.ts';
import { shownReport } from '../check/report.ts';
import { diagnosticOf, problemDiagnostic, restOfLine } from './findings.ts';
import type { Diagnostic } from 'vscode-languageserver';
import type { ReadTexts } from '../input/manifests.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { World } from '../input/world.ts';
import type { Workspace } from './workspace.ts';

/** A chart as it was rendered. Its findings follow the policies and the facts of the workspace. */
export class RenderedChart {
  readonly #workspace: Workspace;
  readonly #directory: string;
  readonly #rendered: ReadTexts['texts'];
  /** Why there is nothing to judge. */
  readonly #problems: readonly FileProblem[];
  /** The texts of the templates that were rendered, by path. */
  readonly #sources = new Map<string, string>();
  #judged: { readonly world: World; readonly found: ReadonlyMap<string, Diagnostic[]> } | undefined;

  /** @param rendered the texts of all templates, which the disk still has, or why there are none */
  constructor(workspace: Workspace, directory: string, { texts, problems, warnings = [] }: ReadTexts) {
    this.#workspace = workspace;
    this.#directory = directory;
    this.#rendered = texts;
    this.#problems = [...problems, ...warnings];
    for (const { file } of texts) this.#sourceOf(resolve(file));
  }

  /** The templates with findings, by path. */
  get found(): ReadonlyMap<string, Diagnostic[]> {
    const { world } = this.#workspace.world();
    if (this.#judged?.world !== world) this.#judged = { world, found: this.#judge() };
    return this.#judged.found;
  }

  /** True for a file with findings, and for each file of a chart that cannot be rendered. */
  concerns(path: string): boolean {
    return this.found.has(path) || (this.#problems.length > 0 && isWithin(this.#directory, path));
  }

  /**
   * The findings in a template that is closed, or whose text is the one that was rendered. Why a chart cannot be
   * rendered stands in each open file: Chart.yaml is rarely open.
   */
  findingsIn(path: string): Diagnostic[] {
    const text = this.#workspace.open.get(path);
    const found = text === undefined || text === this.#sourceOf(path) ? (this.found.get(path) ?? []) : [];
    if (text === undefined) return found;
    const first = restOfLine({ line: 1, column: 1 }, text);
    return [...this.#problems.map((each) => problemDiagnostic(each, first)), ...found];
  }

  #judge(): ReadonlyMap<string, Diagnostic[]> {
    const { manifests, world } = this.#workspace.worldWith(this.#rendered);
    const { violations } = shownReport(checkManifests(manifests, world), this.#workspace.selection);
    const found = new Map<string, Diagnostic[]>();
    for (const [path, own] of Map.groupBy(violations, ({ file }) => resolve(file))) {
      // Policies of other files have findings of their own.
      if (!isWithin(this.#directory, path)) continue;
      const text = this.#sourceOf(path);
      found.set(
        path,
        own.map((each) => diagnosticOf(each, restOfLine(each, text))),
      );
    }
    return found;
  }

  #sourceOf(path: string): string {
    const text = this.#sources.get(path) ?? textOf(path);
    this.#sources.set(path, text);
    return text;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
