import { formatPath } from '../../base/json/field-path.ts';
import { wrapFile, wrapPath } from '../../base/text/wrap.ts';
import { isInCluster } from '../cluster-place.ts';
import { LEVEL_OF_ACTION, LEVELS } from '../level.ts';
import { paragraph } from '../screen.ts';
import { shownMessage } from './shown-message.ts';
import { objectName } from '../check-report.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { Origin } from '../cluster-place.ts';
import type { Screen } from '../screen.ts';

/**
 * Findings for a terminal, by file and workload. A finding has a head line with its position, level and check. The path
 * of the field, the message and the remedy follow, each on lines of its own. Objects of a cluster have no file and no
 * position.
 */
export function findingGroups(violations: readonly PlacedViolation[], screen: Screen, origin: Origin = {}): string[] {
  const blocks = [...Map.groupBy(violations, ({ file }) => file)].flatMap(([file, ofFile]) => {
    const hasLines = !isInCluster(file, origin);
    return [...Map.groupBy(ofFile, objectName)].map(([workload, found], index) => [
      ...(hasLines && index === 0 ? paragraph(screen, { text: file, style: 'heading', split: wrapFile }) : []),
      ...paragraph(screen, { text: workload, indent: hasLines ? 2 : 0, style: 'heading' }),
      ...linesOfFindings(found, screen, hasLines),
    ]);
  });
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function positionOf({ line, column }: PlacedViolation): string {
  return `${line}:${column}`;
}

function linesOfFindings(found: readonly PlacedViolation[], screen: Screen, hasLines: boolean): string[] {
  const positionWidth = hasLines
    ? found.reduce((width, violation) => Math.max(width, positionOf(violation).length), 0)
    : 0;
  return found.flatMap((violation) => findingLines(violation, positionWidth, screen));
}

const LEVEL_WIDTH = Math.max(...LEVELS.map(({ length }) => length));
const BODY_INDENT = 6;

function findingLines(violation: PlacedViolation, positionWidth: number, screen: Screen): string[] {
  const { action, check, path, remedy } = violation;
  const level = LEVEL_OF_ACTION[action];
  const head = [
    ...(positionWidth === 0 ? [] : [screen.paint('faint', positionOf(violation).padStart(positionWidth))]),
    screen.paint(level, level.padEnd(LEVEL_WIDTH)),
    check,
  ];
  const indent = BODY_INDENT;
  const advice = { text: 'advice: ', style: 'added' } as const;
  return [
    `    ${head.join('  ')}`,
    ...paragraph(screen, { text: formatPath(path), indent, style: 'faint', split: wrapPath }),
    ...paragraph(screen, { text: shownMessage(violation), indent }),
    ...(remedy === undefined ? [] : paragraph(screen, { text: remedy, indent, label: advice })),
  ];
}
