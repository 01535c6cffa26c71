import { quoted } from '../../base/json/quoted-value.ts';
import { cut } from '../../base/text/cut.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { wrapEvenly } from '../../base/text/wrap.ts';
import { figureOf, type Figure, type FigureId, type FormulaInputs } from '../timeline/figures.ts';
import { sceneLines, TEXT_WIDTH } from './text-scene.ts';
import { injectionSentence } from '../timeline/injection-sentence.ts';
import { workloadTitle } from '../timeline/explanation.ts';
import type { UnknownTime } from '../timeline/container-timings.ts';
import type { ExplainedField, ExplainedSetting, FieldSetter } from '../timeline/explained-field.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from '../timeline/explanation.ts';

/** The summaries of workloads for a terminal, at most six lines a container. */
export function summariesAsText(workloads: readonly WorkloadExplanation[]): string {
  return workloads.map(summaryText).join('\n');
}

function summaryText(explained: WorkloadExplanation): string {
  const { containers, notInjected, exceptions = [], lacking, injection, ...workload } = explained;
  const more = notInjected.length - MOST_REASONS;
  const left = [
    ...(more > 0 ? [`why policies add no other probes (${more} more)`] : []),
    ...(exceptions.length > 0 ? [`the exceptions (${exceptions.length})`] : []),
  ];
  return textOf([
    `${visible(workloadTitle(workload))}  (${visible(workload.place)})`,
    ...linesOf(injection && injectionSentence(injection)),
    ...linesOf(lacking),
    ...containers.flatMap((container) => [
      headOf(container),
      ...container.summary.map(({ about, text }) => `    ${about.padEnd(8)} ${visible(text)}`),
    ]),
    ...notInjected.slice(0, MOST_REASONS).map((reason) => `  ${visible(withCodeFirst(reason))}`),
    ...(left.length > 0 ? [`  --details shows ${left.join(', and ')}`] : []),
  ]);
}

/** A container needs no more reasons than it may have probes. */
const MOST_REASONS = 3;

/** The code of a reason comes first, as the line may be long: `not injected (no-port): container "app", ...`. */
function withCodeFirst(reason: string): string {
  const [, text, code] = /^(.*) (\([a-z-]+\))$/s.exec(reason) ?? [];
  return text === undefined ? reason : `not injected ${code}: ${text}`;
}

/** Workloads as text for a terminal, without colours: pipes and logs keep all of it. */
export function explanationsAsText(workloads: readonly WorkloadExplanation[]): string {
  return workloads.map((workload) => workloadText(workload, timeLines, overviewLines(workload.containers))).join('\n');
}

export function fieldsAsText(workloads: readonly WorkloadExplanation[]): string {
  return workloads.map((workload) => workloadText(workload, ({ probes }) => fieldTable(probes))).join('\n');
}

function workloadText(
  { kind, namespace, name, place, containers, notInjected, exceptions = [], lacking, injection }: WorkloadExplanation,
  bodyOf: (container: ContainerExplanation) => string[],
  overview: readonly string[] = [],
): string {
  const reasons = notInjected.length > 0 ? ['  Not injected:', ...notInjected.flatMap(bullet), ''] : [];
  const allowed = exceptions.length > 0 ? ['  Exceptions:', ...exceptions.flatMap(bullet), ''] : [];
  const lines = [
    `${visible(workloadTitle({ kind, namespace, name }))}  (${visible(place)})`,
    ...linesOf(injection && injectionSentence(injection)),
    ...linesOf(lacking),
    '',
    ...overview,
    ...containers.flatMap((container) => [headOf(container), ...bodyOf(container)]),
    ...reasons,
    ...allowed,
  ];
  return textOf(lines);
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : wrapEvenly(visible(text), TEXT_WIDTH - 2).map((line) => `  ${line}`);
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${outputLine(line.trimEnd())}\n`).join('');
}

function bullet(text: string): string[] {
  return wrapEvenly(visible(text), TEXT_WIDTH - 6).map((line, index) =>
    index === 0 ? `    - ${line}` : `      ${line}`,
  );
}

function headOf({ name, role, path }: ContainerExplanation): string {
  const what = role === 'sidecar' ? 'native sidecar' : 'application container';
  return `  ${visible(JSON.stringify(name))}, ${what} at ${path}`;
}

function timeLines(container: ContainerExplanation): string[] {
  return [
    ...wrapEvenly(container.headline, TEXT_WIDTH - 4).map((line) => `    ${line}`),
    ...container.caveats.flatMap(bullet),
    '',
    ...probeLines(container.probes),
    ...figureTable(container.figures),
    ...container.scenes.flatMap(sceneLines),
  ];
}

function probeLines(probes: readonly ProbeExplanation[]): string[] {
  if (probes.length === 0) return ['    no probes', ''];
  const lines = probes.flatMap(({ kind, handler, from, budget, letters }) => [
    `    ${kind.padEnd(15)} ${visible(handler)}`,
    `    ${''.padEnd(15)} ${inputsText(letters)}; from ${visible(from)}`,
    ...(budget === undefined ? [] : [`    ${''.padEnd(15)} time to start ${budget.text}`]),
  ]);
  return [...lines, ''];
}

const HEADS = ['', 'guaranteed to start', 'to restart', 'kill begins by', 'dead by', 'hanging: dead by', 'NotReady by'];

const NAME_COLUMNS = 32;

/** One row for each container, so that many containers fit one screen. Nothing for one: its headline says the same. */
export function overviewLines(containers: readonly ContainerExplanation[]): string[] {
  if (containers.length < 2) return [];
  const rows = [HEADS, ...containers.map(rowOf)];
  return [...rows.map(aligned(rows)).map((line) => `  ${line}`), ''];
}

/** Writes a row of a table: the first column from the left, others from the right, as wide as their longest cell. */
function aligned(rows: readonly (readonly string[])[]): (row: readonly string[]) => string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = rows[0]?.map((_, column) => width(column)) ?? [];
  return (row) =>
    widths
      .map((most, column) => (column === 0 ? (row[0] ?? '').padEnd(most) : (row[column] ?? '').padStart(most)))
      .join('  ');
}

/** The latest moments of a container; never, where no probe has that effect. */
function rowOf({ name, figures, unknown }: ContainerExplanation): string[] {
  const without = (about: UnknownTime, text: string): string => (unknown.includes(about) ? 'not known' : text);
  const latest = (id: FigureId, about: UnknownTime): string => {
    const span = figureOf(figures, id)?.span;
    return span === undefined ? without(about, 'never') : `${span.latest} s`;
  };
  const start = figureOf(figures, 'time-to-start')?.span;
  const restart = figureOf(figures, 'time-to-restart')?.span ?? start;
  return [
    cut(visible(name), NAME_COLUMNS, '…'),
    start === undefined ? without('starts', 'no limit') : `${start.earliest} s`,
    restart === undefined ? without('starts', 'no limit') : `${restart.earliest} s`,
    latest('never-healthy-stop', 'starts'),
    latest('never-healthy-dead', 'starts'),
    latest('deadlock-dead', 'hangs'),
    latest('not-ready', 'traffic'),
  ];
}

function inputsText(inputs: FormulaInputs): string {
  return Object.entries(inputs)
    .map(([letter, value]) => `${letter}=${value}`)
    .join(' ');
}

function figureTable(figures: readonly Figure[]): string[] {
  if (figures.length === 0) return [];
  const heads = ['', 'earliest', 'latest'];
  const cellsOf = ({ title, span }: Figure): string[] => [title, `${span.earliest} s`, `${span.latest} s`];
  const row = aligned([heads, ...figures.map(cellsOf)]);
  const lines = figures.flatMap((figure, index) => {
    const section = figure.probe === figures[index - 1]?.probe ? [] : [`    ${figure.probe}`];
    const start = `      ${row(cellsOf(figure))}  `;
    const formula = `${start}${figure.formula.earliest} .. ${figure.formula.latest}`;
    const inputs = `with ${inputsText(figure.inputs)}`;
    const isShort = formula.length + 2 + inputs.length <= TEXT_WIDTH;
    return [...section, ...(isShort ? [`${formula}, ${inputs}`] : [formula, `${' '.repeat(start.length)}${inputs}`])];
  });
  return [`      ${row(heads)}  worked out as`, ...lines, ''];
}

/** Columns of a value. Longer values use the next column too. */
const MOST_VALUE = 32;

/** Each field of each probe, with its value and what set it. Overridden values have lines of their own. */
function fieldTable(probes: readonly ProbeExplanation[]): string[] {
  if (probes.length === 0) return ['    no probes', ''];
  return probes.flatMap(({ kind, fields }) => [`    ${kind}`, ...fieldLines(fields), '']);
}

function fieldLines(fields: readonly ExplainedField[]): string[] {
  const rows = fields.map(({ field, value, setBy, overrides }) => ({
    field: visible(cut(field, MOST_VALUE)),
    value: valueText(value),
    texts: [setterText(setBy), ...overrides.map((setting) => `instead of ${settingText(setting)}`)],
  }));
  const width = (column: 'field' | 'value'): number => Math.max(...rows.map((row) => row[column].length));
  const [first, second] = [width('field'), Math.min(MOST_VALUE, width('value'))];
  const indent = ' '.repeat(6 + first + 2 + second + 2);
  return rows.flatMap(({ field, value, texts }) => {
    const lines = texts.flatMap((text) => wrapEvenly(visible(text), TEXT_WIDTH - indent.length));
    const start = `      ${field.padEnd(first)}  ${value.padEnd(second)}`;
    return lines.map((line, index) => (index === 0 ? `${start}  ${line}` : `${indent}${line}`));
  });
}

/** Plain words as they are, everything else as JSON. */
function valueText(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[\w./-]{1,60}$/.test(value);
  return isPlain ? value : visible(quoted(value));
}

function setterText({ by, source = '', place, asked }: FieldSetter): string {
  const at = place === undefined ? '' : ` (${place})`;
  switch (by) {
    case 'manifest':
      return `the manifest${at}`;
    case 'annotation':
      return `an annotation of the workload${at}`;
    case 'policy':
      return `${source}${at}`;
    case 'default':
      return `default of Kubernetes${asked === undefined ? '' : `, by the null of ${sourceText(asked)}`}`;
    case 'slow-start':
      return `rule for slow starts${asked === undefined ? '' : `, by ${lastOf(asked)} ${settingText(asked)}`}`;
    case 'restart':
      return 'rule for safe restarts';
    case 'ports':
      return "inferred from the container's ports";
    default:
      return `copied from the ${by}`;
  }
}

function settingText(setting: ExplainedSetting): string {
  return `${valueText(setting.value)} of ${sourceText(setting)}`;
}

function sourceText({ source, place }: ExplainedSetting): string {
  return place === undefined ? source : `${source} (${place})`;
}

function lastOf({ field }: ExplainedSetting): string {
  return field.split(/[./]/).at(-1) ?? '';
}
