import { explanationsAsText, fieldsAsText, summariesAsText } from '../../explain/drawing/text.ts';
import { placeOfObject, placeText } from '../input/cluster-object.ts';
import { manifestsIn, type Manifest } from '../input/manifest.ts';
import { jsonText } from '../../base/text/visible.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { listedFailure, printFailures, type WorkloadWithFailures } from './failures.ts';
import { lackOf, readLivePods, nameOfManifest } from '../input/live-pods.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { writePictures } from './pictures.ts';
import { clusterNotes } from '../check/check-inputs.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import { placeOfPolicy } from '../input/inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { ExplainedContainer, ExplainOutput } from '../output/json-outputs.ts';
import type { FieldPlaces } from '../../explain/timeline/explained-fields.ts';
import type { ContainerExplanation } from '../../explain/timeline/explanation.ts';
import type { EXPLAIN } from './definition.ts';

export async function runExplain(line: ParsedCommandLine<typeof EXPLAIN.flags>, io: CommandIo): Promise<number> {
  const inputs = await readAnyInputs('explain', line, io, new Progress(io), { webhook: 'is-read' });
  const placesOf = ({ document, path }: Manifest): FieldPlaces => ({
    ofManifest: (field) =>
      placeText({ file: document.file, ...document.position([...path, ...field], { key: true }) }, inputs),
    ofPolicy: (source, field) => {
      const place = placeOfPolicy(inputs, source, field);
      return place && placeText(place, inputs);
    },
  });
  const { output, details, fields } = line.flags;
  const asText = fields ? fieldsAsText : details ? explanationsAsText : summariesAsText;
  const showsFailures = output === 'json' || (output === 'text' && !fields);
  const look = fields ? undefined : await readLivePods('explain', inputs, io, showsFailures);
  const workloads = manifestsIn(inputs).flatMap((manifest): WorkloadWithFailures[] => {
    const explained = explainManifest(manifest.object, placeOfObject(manifest, inputs), inputs, placesOf(manifest));
    if (explained === undefined) return [];
    const lacking = look && lackOf(look, manifest.object);
    const failures = (look?.of(nameOfManifest(manifest.object))?.failing ?? []).map(listedFailure);
    const isTold = look?.knowsFailures === true || failures.length > 0;
    return [{ ...explained, ...(lacking !== undefined && { lacking }), ...(isTold && { failures }) }];
  });
  let isComplete = inputs.problems.length === 0;
  if (output === 'text') {
    io.stdout.write(asText(workloads));
    if (!fields) printFailures(workloads, io);
  } else if (output === 'json') io.stdout.write(explanationsAsJson(workloads));
  else isComplete = (await writePictures(workloads, line.flags['output-dir'] ?? '.', io)) && isComplete;
  reportProblems([...clusterNotes(inputs), ...inputs.policyWarnings, ...inputs.problems], io, inputs);
  return isComplete ? EXIT_OK : EXIT_USAGE;
}

/** One object for programs: the workloads with their probes, what set each field, and the figures in seconds. */
function explanationsAsJson(workloads: readonly WorkloadWithFailures[]): string {
  const listed = workloads.map((workload) => ({ ...workload, containers: workload.containers.map(listedContainer) }));
  const output: ExplainOutput = { workloads: listed };
  return `${jsonText(output, undefined, 2)}\n`;
}

function listedContainer(container: ContainerExplanation): ExplainedContainer {
  const { name, role, path, headline, caveats, cannotWork } = container;
  return {
    name,
    role,
    path,
    headline,
    probes: container.probes.map(({ kind, handler, from, fields }) => ({ kind, handler, from, fields })),
    figures: container.figures.map(({ id, title, run, probe, span, ...others }) => ({
      id,
      title,
      run,
      probe,
      earliestSeconds: span.earliest,
      latestSeconds: span.latest,
      ...others,
    })),
    ...(cannotWork.length > 0 && { cannotWork: cannotWork as NonNullable<ExplainedContainer['cannotWork']> }),
    caveats,
  };
}
