import { resolve } from 'node:path';
import { shownViolations, type PlacedViolation } from '../check/report.ts';
import { policyFindings } from '../check/policy-findings.ts';
import { checkUrl, fullMessage } from '../../engine/checks/violation.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import type { Workspace } from './workspace.ts';
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

/**
 * The diagnostics by path: of the workloads and the policies in open files, and of closed files that count for nothing.
 */
export function diagnosticsOf(workspace: Workspace, paths: readonly string[]): ReadonlyMap<string, Diagnostic[]> {
  const { world, problems, ofSyntax } = workspace.world();
  const all = paths.flatMap((path) => workspace.piecesOf(path).flatMap(({ known }) => known.violationsIn(world)));
  const ofPolicies = shownViolations(policyFindings(world, all), workspace.selection);
  const lacking = new Set([...world.policyProblems, ...workspace.problems]);
  const isTold = (problem: FileProblem): boolean =>
    workspace.open.has(resolve(problem.file)) ? !ofSyntax.has(problem) : lacking.has(problem);
  const told = Map.groupBy([...workspace.problems, ...problems].filter(isTold), ({ file }) => resolve(file));
  return new Map(
    [...new Set([...paths, ...told.keys()])].map((path) => {
      // Of a closed file, the place is enough: it may be a link to anything.
      const text = workspace.open.get(path) ?? '';
      const own = ofPolicies.filter(({ file }) => resolve(file) === path && workspace.open.has(path));
      return [
        path,
        [
          ...findingsIn(workspace, path).map(({ violation, range }) => diagnosticOf(violation, range)),
          ...own.map((each) => diagnosticOf(each, restOfLine(each, text))),
          ...(told.get(path) ?? []).map((each) => problemDiagnostic(each, restOfLine(each, text))),
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

/** A problem of a file as editors show it. */
export function problemDiagnostic({ message }: FileProblem, range: Range): Diagnostic {
  const severity = message.startsWith('warning: ') ? SEVERITIES.warning : SEVERITIES.error;
  return { range, severity, source: 'probewright', message: visible(message.replace(/^warning: /, '')) };
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
