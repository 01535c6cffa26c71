import { paragraph } from '../screen.ts';
import { paintedLine } from './diff.ts';
import { planGroups, planSentence } from './plan-groups.ts';
import type { Plan } from '../../engine/verdict/compare/plan.ts';
import type { Screen } from '../screen.ts';

/** Returns a plan for people: the effects, the largest first, and one sentence at the end. */
export function planAsText(plan: Plan, screen: Screen): string {
  const blocks = planGroups(plan).map(({ title, names, diff, example }) => [
    ...paragraph(screen, { text: title, style: 'heading' }),
    ...paragraph(screen, { text: names, indent: 2 }),
    ...(example === undefined ? [] : paragraph(screen, { text: example, indent: 2, style: 'faint' })),
    ...diff.map((line) => paintedLine(line, screen.paint)),
  ]);
  const lines = [...blocks, paragraph(screen, { text: planSentence(plan.summary) })];
  return lines.map((block) => `${block.join('\n')}\n`).join('\n');
}
