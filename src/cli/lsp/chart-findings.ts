import { resolve } from 'node:path';
import { isWithin } from '../../base/files/yaml-files.ts';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { checkManifests } from '../check/check-manifests.ts';
import { shownReport } from '../check/report.ts';
import { diagnosticOf, restOfLine } from './findings.ts';
import type { Diagnostic } from 'vscode-languageserver';
import type { Workspace } from './workspace.ts';

/** A template with the text that was rendered. */
export interface RenderedTemplate {
  readonly text: string;
  readonly diagnostics: Diagnostic[];
}

/** The templates with findings of a chart as it is on the disk, by path. */
export async function renderedTemplates(
  workspace: Workspace,
  directory: string,
): Promise<ReadonlyMap<string, RenderedTemplate>> {
  const { texts } = await workspace.texts([directory], true);
  const { manifests, world } = workspace.worldWith(texts);
  const { violations } = shownReport(checkManifests(manifests, world), workspace.selection);
  const found = new Map<string, RenderedTemplate>();
  for (const [path, own] of Map.groupBy(violations, ({ file }) => resolve(file))) {
    // Policies of other files have findings of their own.
    if (!isWithin(directory, path)) continue;
    const text = await readUtf8File(path).catch(() => '');
    found.set(path, { text, diagnostics: own.map((each) => diagnosticOf(each, restOfLine(each, text))) });
  }
  return found;
}
