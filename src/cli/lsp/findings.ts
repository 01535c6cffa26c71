import { shownViolations, type PlacedViolation } from '../check/report.ts';
import { policyFindings } from '../check/policy-findings.ts';
import { checkUrl, fullMessage } from '../../engine/checks/violation.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import { fileNameOf, type Workspace } from './workspace.ts';
import type { Diagnostic, Range } from 'vscode-languageserver';
import type { Position } from '../../yaml/reading/documents.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import { endOfContent, lineOf, type Piece } from './open-text.ts';

/** A finding in an open file. */
export interface Found {
  readonly piece: Piece;
  readonly violation: PlacedViolation;
  readonly range: Range;
}

const SEVERITIES = { error: 1, warning: 2, note: 3 } as const;

/** The findings that `check` shows in an open file. */
export function findingsIn(workspace: Workspace, path: string): readonly Found[] {
  const { world } = workspace.world();
  return workspace.piecesOf(path).flatMap((piece) =>
    shownViolations(piece.known.violationsIn(world), workspace.selection).map((violation) => ({
      piece,
      violation,
      range: rangeOf(piece.known.rangeOf(violation), piece.text, piece.line),
    })),
  );
}

/** The diagnostics of open files, by path: of their workloads, and of the policies in them. */
export function diagnosticsOf(workspace: Workspace, paths: readonly string[]): ReadonlyMap<string, Diagnostic[]> {
  const { world, policyProblems } = workspace.world();
  const all = paths.flatMap((path) => workspace.piecesOf(path).flatMap(({ known }) => known.violationsIn(world)));
  const ofPolicies = shownViolations(policyFindings(world, all), workspace.selection);
  return new Map(
    paths.map((path) => {
      const file = fileNameOf(path);
      const text = workspace.open.get(path) ?? '';
      return [
        path,
        [
          ...findingsIn(workspace, path).map(({ violation, range }) => diagnosticOf(violation, range)),
          ...ofPolicies.filter((each) => each.file === file).map((each) => diagnosticOf(each, restOfLine(each, text))),
          ...policyProblems
            .filter((each) => each.file === file)
            .map((each) => ({ range: restOfLine(each, text), ...problemParts(each) })),
        ],
      ];
    }),
  );
}

/** A finding as editors show it. */
export function diagnosticOf(violation: PlacedViolation, range: Range): Diagnostic {
  const { check, action } = violation;
  return {
    range,
    severity: SEVERITIES[LEVELS_OF[action].level],
    source: 'probewright',
    code: check,
    codeDescription: { href: checkUrl(check) },
    message: outputLine(fullMessage(violation)),
  };
}

function problemParts({ message }: FileProblem): Pick<Diagnostic, 'severity' | 'source' | 'message'> {
  const isWarning = message.startsWith('warning: ');
  return { severity: isWarning ? 2 : 1, source: 'probewright', message: visible(message.replace(/^warning: /, '')) };
}

/** From a place to the end of its line, without the comment. */
export function restOfLine({ line, column }: Position, text: string): Range {
  const end = endOfContent(lineOf(text, line));
  return rangeOf(
    [
      { line, column },
      { line, column: Math.max(column, end + 1) },
    ],
    text,
  );
}

/**
 * A byte order mark has no column, and editors count it.
 *
 * @param text the text that the places are in
 * @param before lines of the file before the text
 */
export function rangeOf([from, to]: readonly [Position, Position], text: string, before = 0): Range {
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  const place = ({ line, column }: Position) => ({
    line: before + line - 1,
    character: column - 1 + (line === 1 ? mark : 0),
  });
  return { start: place(from), end: place(to) };
}
