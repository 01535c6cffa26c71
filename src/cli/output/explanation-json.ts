import { jsonText } from '../../base/text/json-text.ts';
import { figureTitle, runOf } from '../../explain/timeline/figure.ts';
import type { ContainerExplanation } from '../../explain/timeline/explanation.ts';
import type { WorkloadWithFailures } from '../explain-failures.ts';
import type { ExplainedContainer, ExplainOutput } from './json-outputs.ts';

/** One object for programs: the workloads with their probes, what set each field, and the figures in seconds. */
export function explanationsAsJson(workloads: readonly WorkloadWithFailures[]): string {
  const listed = workloads.map((workload) => ({ ...workload, containers: workload.containers.map(listedContainer) }));
  const output: ExplainOutput = { workloads: listed };
  return `${jsonText(output, undefined, 2)}\n`;
}

function listedContainer({
  name,
  role,
  path,
  headline,
  caveats,
  fields,
  ...container
}: ContainerExplanation): ExplainedContainer {
  return {
    name,
    role,
    path,
    headline,
    probes: fields.map(({ kind, fields: ofProbe }) => {
      const probe = container.probes.find((candidate) => candidate.kind === kind);
      return { kind, ...(probe && { handler: probe.handler, from: probe.from }), fields: ofProbe };
    }),
    figures: container.figures.map((figure) => {
      const { id, probe, span, formula, inputs, preStopSeconds } = figure;
      return {
        id,
        title: figureTitle(figure),
        run: runOf(figure),
        probe,
        earliestSeconds: span.earliest,
        latestSeconds: span.latest,
        formula,
        inputs,
        ...(preStopSeconds !== undefined && { preStopSeconds }),
      };
    }),
    caveats,
  };
}
