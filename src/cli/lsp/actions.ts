import { jsonOf } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { positionsIn } from '../../yaml/reading/documents.ts';
import { lastingIdentityOf, SHOWN_BY_DEFAULT, withAdvice } from '../fix/advice.ts';
import { fixFile } from '../fix/fix-file.ts';
import { parsedTexts } from '../input/manifests.ts';
import { findingsIn, diagnosticOf, rangeOf, type Found } from './findings.ts';
import { differenceOf, KnownText, withoutTemplates } from './open-text.ts';
import { fileNameOf, type Workspace } from './workspace.ts';
import type { CodeAction, CodeActionContext, Range, TextEdit } from 'vscode-languageserver';
import type { PlacedViolation } from '../check/report.ts';

export const FIX_ALL = 'source.fixAll.probewright';
const FIX_ALL_TITLE = 'Fix all probes of this file, as fix --advice does';
/** CodeActionTriggerKind.Automatic: to load its value would load the whole library. */
const AUTOMATIC = 2;

/** What can be done about the findings in a range of an open file. */
export function actionsIn(
  workspace: Workspace,
  path: string,
  uri: string,
  range: Range,
  { only, triggerKind }: Pick<CodeActionContext, 'only' | 'triggerKind'>,
): CodeAction[] {
  const wants = (kind: string): boolean =>
    only === undefined || only.some((each) => kind === each || kind.startsWith(`${each}.`));
  const text = workspace.open.get(path) ?? '';
  const actionOf = (title: string, kind: string, after: string, more: Partial<CodeAction>): CodeAction[] =>
    after === text ? [] : [{ title, kind, edit: { changes: { [uri]: [editOf(text, after)] } }, ...more }];
  const found = wants('quickfix') ? findingsIn(workspace, path).filter((each) => sharesLine(each.range, range)) : [];
  // An editor that asks at each movement of the cursor shows fixes of the place only.
  const mayFixAll = wants(FIX_ALL) && (only !== undefined || triggerKind !== AUTOMATIC);
  return [
    ...found.flatMap((each) => {
      const { piece, violation } = each;
      const whole = (changed: string): string =>
        text.slice(0, piece.start) + changed + text.slice(piece.start + piece.text.length);
      const diagnostics = [diagnosticOf(violation, each.range)];
      const { check, remedy } = violation;
      const what = remedy?.replace(/^did you mean (.*)\?$/, 'write $1') ?? violation.message;
      const title = `Fix: ${what} (${check})`;
      return [
        ...actionOf(title, 'quickfix', whole(fixed(workspace, each)), { diagnostics, isPreferred: true }),
        ...actionOf(`Ignore ${check} here`, 'quickfix', whole(ignored(workspace, each)), { diagnostics }),
      ];
    }),
    ...(mayFixAll ? actionOf(FIX_ALL_TITLE, FIX_ALL, fixedText(workspace, path), {}) : []),
  ];
}

/** The text that `fix --advice` writes for an open file. */
function fixedText(workspace: Workspace, path: string): string {
  const text = workspace.open.get(path) ?? '';
  const { world } = workspace.world();
  const [source] = parsedTexts([{ file: fileNameOf(path), text }], world);
  // Without one of the policies, other probes would be written than the webhook adds.
  if (source === undefined || world.policyProblems.length + workspace.problems.length > 0) return text;
  if (withoutTemplates(source).manifests.length < source.manifests.length) return text;
  return fixFile(source, world, { ...SHOWN_BY_DEFAULT, ...workspace.selection }).after;
}

/** The piece with the advice of one finding. */
function fixed(workspace: Workspace, { piece, violation }: Found): string {
  if (violation.edits === undefined) return piece.text;
  const { world } = workspace.world();
  const others = new Set(piece.known.violationsIn(world).map(lastingIdentityOf));
  others.delete(lastingIdentityOf(violation));
  const selection = { ...SHOWN_BY_DEFAULT, ...workspace.selection, others };
  return withAdvice({ file: violation.file, text: piece.text }, world, selection).text;
}

const REASON = 'TODO: say why';

/** The piece with a comment that ignores a finding. Unchanged where a comment would do something else. */
function ignored(workspace: Workspace, { piece, violation }: Found): string {
  const { world } = workspace.world();
  const [mark = ''] = /^\uFEFF?/.exec(piece.text) ?? [];
  const lines = piece.text.slice(mark.length).split('\n');
  const at = lineOfPart(piece.known, violation);
  const [indent = ''] = /^[ \t]*/.exec(lines[at - 1] ?? '') ?? [];
  const ending = lines[at - 1]?.endsWith('\r') === true ? '\r' : '';
  const comment = `${indent}# probewright: ignore ${violation.check} - ${REASON}${ending}`;
  const text = mark + lines.toSpliced(at - 1, 0, comment).join('\n');
  const again = new KnownText(violation.file, text, world.kinds);
  const isRead = again.parsed.manifests.length === piece.known.parsed.manifests.length;
  const left = new Set(again.violationsIn(world).map(identityOf));
  const gone = piece.known.violationsIn(world).filter((each) => !left.has(identityOf(each)));
  const isSilenced = isRead && gone.includes(violation) && gone.every(({ check }) => check === violation.check);
  // JSON has no comments.
  return isSilenced && jsonOf(piece.text.slice(mark.length)) === undefined ? text : piece.text;
}

const identityOf = ({ check, object, path, message }: PlacedViolation): string =>
  JSON.stringify([check, object, path, message]);

/** The line of the probe or the container that a finding is about, from 1. */
function lineOfPart(known: KnownText, { object, path }: PlacedViolation): number {
  const list = path.findIndex((step) => CONTAINER_LISTS.some((name) => name === step));
  // The container, and its probe if the finding is about one.
  const depth = list === -1 ? 0 : String(path[list + 2]).endsWith('Probe') ? list + 3 : list + 2;
  return known.linesOf(object?.document ?? 0, [...(object?.path ?? []), ...path.slice(0, depth)])[0];
}

function editOf(before: string, after: string): TextEdit {
  const { start, end, text } = differenceOf(before, after);
  const positionAt = positionsIn(before);
  return { range: rangeOf([positionAt(start), positionAt(end)], before), newText: text };
}

/** The cursor is rarely on the field itself. */
const sharesLine = (a: Range, b: Range): boolean => a.start.line <= b.end.line && b.start.line <= a.end.line;
