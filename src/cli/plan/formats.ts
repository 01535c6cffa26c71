import { count, cut } from '../../base/text/cut.ts';
import { jsonText, outputLine } from '../../base/text/visible.ts';
import { paintedLine } from '../output/diff.ts';
import { planGroups, planSentence, type PlanGroup } from './groups.ts';
import { paragraph, type Screen } from '../output/screen.ts';
import type { Plan } from '../../engine/verdict/compare/plan.ts';
import type { PlanOutput } from '../output/json-outputs.ts';

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

/** A comment on GitHub has at most 65,536 characters. */
const MOST_CHARACTERS = 60_000;
/** The room for the sentence about the effects that are left out. */
const ROOM_FOR_END = 200;

/** One effect gets no more than this, so that the others have room too. */
const MOST_LINES = 200;
const MOST_CHARACTERS_OF_LINE = 400;
const MOST_CHARACTERS_OF_GROUP = 12_000;

/**
 * Returns a plan for a comment of a pull request. Everything that comes from manifests is in code blocks, where no
 * Markdown, HTML or `@name` has an effect.
 */
export function planAsMarkdown(plan: Plan): string {
  const groups = planGroups(plan);
  // Scripts find the comment by this marker, to replace the comment.
  let text = `<!-- probewright plan -->\n**${planSentence(plan.summary)}**\n`;
  for (const [index, group] of groups.entries()) {
    const section = sectionOf(group);
    if (text.length + section.length > MOST_CHARACTERS - ROOM_FOR_END) {
      const others = count(groups.length - index, 'more effect');
      return `${text}\nThere is no room here for ${others}. Run \`probewright plan\` to see all effects.\n`;
    }
    text += section;
  }
  return text;
}

function sectionOf({ title, names, diff, example }: PlanGroup): string {
  const lines = [names, ...(example === undefined ? [] : [example]), ...(diff.length > 0 ? [''] : [])];
  const shown = [...lines, ...diff.map(({ text }) => text)]
    .slice(0, MOST_LINES)
    .map((line) => cut(outputLine(line), MOST_CHARACTERS_OF_LINE));
  const body = cut(shown.join('\n'), MOST_CHARACTERS_OF_GROUP);
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const language = diff.length > 0 ? 'diff' : 'text';
  return `\n### ${title}\n\n${fence}${language}\n${body}\n${fence}\n`;
}

/** Returns a plan as one object for programs. Workloads without effect are left out. */
export function planAsJson(plan: Plan): string {
  return `${jsonText(planOutput(plan), undefined, 2)}\n`;
}

/** Returns a plan as programs read it. */
export function planOutput({ effects, summary }: Plan): PlanOutput {
  const workloads = effects.map(({ kind, namespace, name, probes, violations }) => ({
    kind,
    namespace,
    name,
    probes: probes.map(({ container, probe, change, before, after }) => ({ container, probe, change, before, after })),
    violations: violations.map(({ violation: { check, container, probe, message }, change, before, after }) => ({
      check,
      container,
      probe: probe ?? null,
      change,
      before,
      after,
      message,
    })),
  }));
  return { workloads, summary };
}
