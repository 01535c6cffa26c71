import { resolve } from 'node:path';
import { checkManifests } from '../check/check-manifests.ts';
import { shownReport } from '../check/report.ts';
import { NO_TEXTS } from '../input/manifests.ts';
import { worldOf } from '../input/world.ts';
import { diagnosticOf, restOfLine } from './findings.ts';
import type { Diagnostic } from 'vscode-languageserver';
import type { Workspace } from './workspace.ts';

/** The findings in the templates of a chart as it is on the disk, by path. */
export async function chartDiagnostics(
  workspace: Workspace,
  directory: string,
): Promise<ReadonlyMap<string, Diagnostic[]>> {
  const { texts } = await workspace.texts([directory], true);
  const { world } = workspace.world();
  const { manifests } = worldOf({ texts, problems: [] }, NO_TEXTS, world);
  const { violations } = shownReport(checkManifests(manifests, world), workspace.selection);
  const found = new Map<string, Diagnostic[]>();
  for (const violation of violations) {
    const path = resolve(violation.file);
    // An editor has no line of a template whose text it does not hold: the rest of the line is marked.
    const text = workspace.open.get(path) ?? '';
    found.set(path, [...(found.get(path) ?? []), diagnosticOf(violation, restOfLine(violation, text))]);
  }
  return found;
}
