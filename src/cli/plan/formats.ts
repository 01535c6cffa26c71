import { count, cut } from '../../base/text/cut.ts';
import { jsonText, visible } from '../../base/text/visible.ts';
import { paintedLine } from '../output/diff.ts';
import { markdownDocument, type MarkdownSection } from '../output/markdown.ts';
import { paragraph, type Screen } from '../output/screen.ts';
import { unifiedDiff, type DiffLine } from '../../base/text/unified-diff.ts';
import { renderBlock, type BlockLayout } from '../../yaml/editing/rendering.ts';
import { objectName } from '../check/report.ts';
import { injectedSentence } from './injected-probes.ts';
import type { ExemptNamespace, PlannedEffects, PlannedInjection, PlanOutput } from '../output/json-outputs.ts';
import type { ProbeChange, ViolationChange } from '../../engine/verdict/compare/changes.ts';
import { effectSentence, type Plan, type WorkloadEffect } from '../../engine/verdict/compare/plan.ts';

/** A plan, and the workloads of a cluster that it leaves out. */
export type ShownPlan = Plan & {
  readonly exempt?: readonly ExemptNamespace[] | undefined;
  /** Where it is known what injects. */
  readonly injection?: PlannedInjection | undefined;
  /** The words for a construct of the native policy. */
  readonly constructText?: ((id: string) => string) | undefined;
};

/** Returns a plan for people: the effects, the largest first, and one sentence at the end. */
export function planAsText(plan: ShownPlan, screen: Screen): string {
  const blocks = planGroups(plan).map(({ title, names, diff, example }) => [
    ...paragraph(screen, { text: title, style: 'heading' }),
    ...paragraph(screen, { text: names, indent: 2 }),
    ...(example === undefined ? [] : paragraph(screen, { text: example, indent: 2, style: 'faint' })),
    ...diff.map((line) => paintedLine(line, screen.paint)),
  ]);
  const lines = [...blocks, paragraph(screen, { text: `Plan: ${sentenceOf(plan)}` })];
  return lines.map((block) => `${block.join('\n')}\n`).join('\n');
}

/**
 * Returns a plan for a comment of a pull request. Everything that comes from manifests is in code blocks, where no
 * Markdown, HTML or `@name` has an effect.
 */
export function planAsMarkdown(plan: ShownPlan): string {
  // Scripts find the comment by this marker, to replace the comment.
  const head = `<!-- probewright plan -->\n**Plan: ${sentenceOf(plan)}**\n`;
  return markdownDocument(head, planGroups(plan).map(sectionOf), 'effect', 'probewright plan');
}

/** The effect in one sentence, and how many workloads of a cluster are left out. Standard error has the namespaces. */
function sentenceOf({ summary, exempt = [], injection }: ShownPlan): string {
  const left = exempt.reduce((sum, { workloads }) => sum + workloads, 0);
  const are = left === 1 ? 'is' : 'are';
  const injected = injection === undefined ? '' : ` ${injectedSentence(injection)}`;
  return `${effectSentence(summary)}${left > 0 ? ` ${count(left, 'exempt workload')} ${are} not counted.` : ''}${injected}`;
}

function sectionOf({ title, names, diff, example }: PlanGroup): MarkdownSection {
  const lines = [names, ...(example === undefined ? [] : [example]), ...(diff.length > 0 ? [''] : [])];
  return { title, ...(diff.length > 0 && { language: 'diff' }), lines: [...lines, ...diff.map(({ text }) => text)] };
}

/** Returns a plan as one object for programs. Workloads without effect are left out. */
export function planAsJson({ exempt = [], injection, ...plan }: ShownPlan): string {
  const { workloads, summary } = plannedEffects(plan);
  const output: PlanOutput = {
    workloads,
    ...(exempt.length > 0 && { exempt }),
    ...(injection && { injection }),
    summary,
  };
  return `${jsonText(output, undefined, 2)}\n`;
}

/** Returns a plan as programs read it. */
export function plannedEffects({ effects, summary }: Plan): PlannedEffects {
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

/** Workloads with the same effect, as people read them. All texts are visible. */
interface PlanGroup {
  /** How many workloads. */
  readonly size: number;
  readonly title: string;
  readonly names: string;
  /** The difference of the probes of the Pods. Empty for violations. */
  readonly diff: readonly DiffLine[];
  readonly example: string | undefined;
}

/** Returns the effects of a plan: workloads with the same effect are one group, the largest group first. */
function planGroups(plan: ShownPlan): readonly PlanGroup[] {
  const { effects } = plan;
  const groups = [...probeGroups(effects), ...violationGroups(effects), ...fewerGroups(plan)];
  return groups.toSorted((a, b) => b.size - a.size);
}

/** The workloads that get fewer probes from the native policy, by construct. */
function fewerGroups({ injection, constructText = (id) => id }: ShownPlan): PlanGroup[] {
  return (injection?.fewer ?? []).map(({ construct, workloads }) => {
    const get = `${count(workloads.length, 'workload')} ${workloads.length === 1 ? 'gets' : 'get'}`;
    const title = `${get} fewer probes from the native policy: ${constructText(construct)}`;
    const names = firstNames(workloads.map(objectName), LONGEST_NAME);
    return { size: workloads.length, title, names, diff: [], example: undefined };
  });
}

/** The same patch is the same probes in the same places. Names of containers differ between workloads. */
function probeGroups(effects: readonly WorkloadEffect[]): PlanGroup[] {
  const changed = effects.filter(({ probes }) => probes.length > 0);
  return [...Map.groupBy(changed, ({ probes }) => patchKey(probes)).values()].map((same) => ({
    size: same.length,
    title: `${count(same.length, 'workload')} ${same.length === 1 ? 'gets' : 'get'} other probes`,
    names: namesOf(same),
    diff: podDiff(same.map(({ probes }) => probes)),
    example: undefined,
  }));
}

function patchKey(probes: readonly ProbeChange[]): string {
  return JSON.stringify(
    probes.map(({ template, list, index, probe, before, after }) => [template, list, index, probe, before, after]),
  );
}

function violationGroups(effects: readonly WorkloadEffect[]): PlanGroup[] {
  const all = effects.flatMap((effect) => effect.violations.map((change) => ({ effect, change })));
  const sameEffect = Map.groupBy(all, ({ change: { violation, before, after } }) =>
    JSON.stringify([violation.check, before, after]),
  );
  return [...sameEffect.values()].flatMap((same) => {
    const changes = same.map(({ change }) => change);
    const [first] = changes;
    if (first === undefined) return [];
    const workloads = [...new Set(same.map(({ effect }) => effect))];
    const [size, names, example] = [workloads.length, namesOf(workloads), exampleOf(first, changes)];
    return [{ size, title: violationTitle(size, first), names, diff: [], example }];
  });
}

function violationTitle(size: number, { violation: { check }, before, after }: ViolationChange): string {
  const workloads = count(size, 'workload');
  const violate = size === 1 ? 'violates' : 'violate';
  if (before === null) return `${workloads} ${violate} ${check} (${after ?? ''})`;
  if (after === null) return `${workloads} no longer ${violate} ${check} (was ${before})`;
  return `${workloads} ${violate} ${check} with another action: ${after} (was ${before})`;
}

/** Names and messages come from tenants and may have any length. */
const LONGEST_NAME = 300;
const LONGEST_EXAMPLE = 1000;

function exampleOf(first: ViolationChange, same: readonly ViolationChange[]): string {
  const text = textOf(first);
  return same.some((change) => textOf(change) !== text) ? `for example: ${text}` : text;
}

function textOf({ violation: { container, probe, message } }: ViolationChange): string {
  const place = [container && `container "${cut(container, LONGEST_NAME)}"`, probe].filter(Boolean).join(', ');
  return cut(visible([place, message].filter(Boolean).join(': ')), LONGEST_EXAMPLE);
}

function namesOf(effects: readonly WorkloadEffect[]): string {
  return firstNames(effects.map(objectName), LONGEST_NAME);
}

const MOST_NAMES = 3;

function firstNames(names: readonly string[], longest: number): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => cut(visible(name), longest));
  const others = names.length - shown.length;
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ');
}

const LAYOUT: BlockLayout = { step: 2, indentSequences: true, flowPadding: true };

const LONGEST_COMMENT_NAME = 100;

/** Lines around each change. With 20 lines, a change of one number also shows the names of its probe and container. */
const CONTEXT = 20;

/**
 * Returns the probes of a Pod before and after a change as a unified diff. Probes that stay the same are left out. All
 * lines are visible.
 *
 * @param workloads the same changes in several workloads, whose containers may have different names
 */
function podDiff(workloads: readonly (readonly ProbeChange[])[]): DiffLine[] {
  const [first = []] = workloads;
  const byContainer = [...Map.groupBy(first.entries(), ([, change]) => placeOf(change))];
  const side = (of: 'before' | 'after'): string =>
    byContainer
      .flatMap(([place, changes]) => [
        `${place}: # ${containerNames(workloads, changes[0]?.[0] ?? 0)}`,
        ...changes.flatMap(([, change]) => probeLines(change.probe, change[of])),
      ])
      .map((line) => `${line}\n`)
      .join('');
  return unifiedDiff('Pod', side('before'), side('after'), CONTEXT);
}

function placeOf({ template, list, index }: ProbeChange): string {
  return `${template === undefined ? '' : `${visible(cut(template, LONGEST_COMMENT_NAME))}: `}${list}[${index}]`;
}

function containerNames(workloads: readonly (readonly ProbeChange[])[], position: number): string {
  const names = new Set(workloads.map((changes) => changes[position]?.container ?? ''));
  return firstNames([...names], LONGEST_COMMENT_NAME);
}

function probeLines(probe: string, value: unknown): readonly string[] {
  return value === null ? [] : renderBlock(probe, value, LAYOUT).map((line) => `  ${line}`);
}
