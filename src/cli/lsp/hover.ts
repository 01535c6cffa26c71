import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { probeTimes } from '../../explain/timeline/explained-probes.ts';
import { visible } from '../../base/text/visible.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { valueAt } from '../../base/json/field-path.ts';
import { pathOf } from './open-text.ts';
import type { Hover, Position } from 'vscode-languageserver';
import type { ContainerExplanation } from '../../explain/timeline/explanation.ts';
import type { Workspace } from './workspace.ts';

/** What happens when to the container at a place of an open file, in words; and the probe at the place. */
export function hoverAt(
  workspace: Workspace,
  path: string,
  { line, character }: Position,
  wantsMarkdown = false,
): Hover | undefined {
  const { world } = workspace.world();
  const piece = workspace.piecesOf(path).findLast((each) => each.line <= line);
  if (piece === undefined) return undefined;
  const own = line - piece.line + 1;
  const { known } = piece;
  for (const { object, document, path: at } of known.parsed.manifests) {
    const isIn = (part: readonly (string | number)[]): boolean =>
      known.isIn(document.index, [...at, ...part], { line: own, column: character + 1 });
    for (const container of isIn([]) ? (explainManifest(object, '', world)?.containers ?? []) : []) {
      const place = pathOf(container.path);
      if (!isIn(place)) continue;
      // A probe that a policy adds has no place in the text.
      const isWritten = (kind: string): boolean => valueAt(object, [...place, kind]) !== undefined;
      const probe = PROBE_KINDS.find((kind) => isWritten(kind) && isIn([...place, kind]));
      const [title = '', ...lines] = linesOf(container, probe);
      // VS Code writes plain text with spaces that do not break.
      const value = wantsMarkdown
        ? [`**${escaped(title)}**`, '', ...lines.map((text) => `- ${escaped(text)}`)]
        : [title, ...lines];
      return { contents: { kind: wantsMarkdown ? 'markdown' : 'plaintext', value: value.join('\n') } };
    }
  }
  return undefined;
}

/** Without what Markdown takes for marks within a line. Some editors show each backslash. */
const escaped = (text: string): string =>
  text.replaceAll(/[\\`*<[~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`);

function linesOf({ name, probes, summary, caveats }: ContainerExplanation, only: string | undefined): string[] {
  const shown = probes.filter(({ kind }) => only === undefined || kind === only);
  const lines = [
    ...shown.map(({ kind, handler, from, letters }) => `${kind}: ${handler}, ${probeTimes(letters)}; from ${from}`),
    ...summary
      .filter(({ about }) => about !== 'probes' && about !== 'note')
      .map(({ about, text }) => `${about}: ${text}`),
    ...caveats,
  ];
  return [`container ${name}`, ...lines].map(visible);
}
