import { outputLine, visible } from '../../base/text/visible.ts';
import { wrapEvenly } from '../../base/text/wrap.ts';
import { fieldTable } from './field-table.ts';
import { figureTable, inputsText } from './figure-table.ts';
import { overviewLines } from './text-overview.ts';
import { sceneLines } from './text-scene.ts';
import { workloadTitle } from './workload-title.ts';
import { TEXT_WIDTH } from './text-width.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from '../timeline/explanation.ts';

/** Workloads as text for a terminal, without colours: pipes and logs keep all of it. */
export function explanationsAsText(workloads: readonly WorkloadExplanation[]): string {
  return workloads.map((workload) => workloadText(workload, timeLines, overviewLines(workload.containers))).join('\n');
}

/** The sources of the fields of the probes, as text for a terminal. */
export function fieldsAsText(workloads: readonly WorkloadExplanation[]): string {
  return workloads.map((workload) => workloadText(workload, ({ fields }) => fieldTable(fields))).join('\n');
}

function workloadText(
  { kind, namespace, name, place, containers, notInjected, exceptions = [] }: WorkloadExplanation,
  bodyOf: (container: ContainerExplanation) => string[],
  overview: readonly string[] = [],
): string {
  const reasons = notInjected.length > 0 ? ['  Not injected:', ...notInjected.flatMap(bullet), ''] : [];
  const allowed = exceptions.length > 0 ? ['  Exceptions:', ...exceptions.flatMap(bullet), ''] : [];
  const lines = [
    `${visible(workloadTitle({ kind, namespace, name }))}  (${visible(place)})`,
    '',
    ...overview,
    ...containers.flatMap((container) => [headOf(container), ...bodyOf(container)]),
    ...reasons,
    ...allowed,
  ];
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
  const lines = probes.flatMap(({ kind, handler, from, letters }) => [
    `    ${kind.padEnd(15)} ${visible(handler)}`,
    `    ${''.padEnd(15)} ${inputsText(letters)}; from ${visible(from)}`,
  ]);
  return [...lines, ''];
}
