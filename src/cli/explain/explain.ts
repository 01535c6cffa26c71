import { explanationsAsText, fieldsAsText, summariesAsText } from '../../explain/drawing/text.ts';
import { placeOfObject, placeText } from '../input/cluster-object.ts';
import { manifestsIn, type Manifest } from '../input/manifest.ts';
import { jsonText } from '../../base/text/visible.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { listedFailure, printFailures, type WorkloadWithFailures } from './failures.ts';
import { lackOf, readLivePods, nameOfManifest } from '../input/live.ts';
import { EXIT_OK, EXIT_USAGE, type CommandIo } from '../io.ts';
import { writePictures } from './pictures.ts';
import { clusterNotes } from '../check/check-manifests.ts';
import { reportProblems, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import { placeOfPolicy } from '../../cluster/sources/policy-documents.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { ExplainedContainer, ExplainOutput } from '../output/json-outputs.ts';
import type { FieldPlaces } from '../../explain/timeline/explained-fields.ts';
import { otherTimesLine } from '../../observer/starts/learned-times.ts';
import type { ContainerExplanation, WorkloadExplanation } from '../../explain/timeline/explanation.ts';
import type { EXPLAIN } from './definition.ts';

export async function runExplain(line: ParsedCommandLine<typeof EXPLAIN.flags>, io: CommandIo): Promise<number> {
  const given = await readAnyInputs('explain', line, io, new Progress(io), { webhook: 'is-read' });
  const { manifests, world } = given;
  if (line.flags.wait !== undefined) {
    // Most command lines do not wait.
    const { pausesUntilSignal, waitForRollout } = await import('./wait-for-rollout.ts');
    return await waitForRollout(given, line.flags.wait, io, pausesUntilSignal(io));
  }
  const placesOf = ({ document, path }: Manifest): FieldPlaces => ({
    ofManifest: (field) => placeText(document.placeOf([...path, ...field], { key: true }), world),
    ofPolicy: (source, field) => {
      const place = placeOfPolicy(world.places, source, field);
      return place && placeText(place, world);
    },
  });
  const { output, details, fields } = line.flags;
  const asText = fields ? fieldsAsText : details ? explanationsAsText : summariesAsText;
  const showsFailures = output === 'json' || (output === 'text' && !fields);
  const look = fields ? undefined : await readLivePods('explain', given, io, showsFailures);
  const workloads = manifestsIn(manifests).flatMap((manifest): WorkloadWithFailures[] => {
    const explained = explainManifest(manifest.object, placeOfObject(manifest, world), world, placesOf(manifest));
    if (explained === undefined) return [];
    const live = look?.of(nameOfManifest(manifest.object));
    const lacking =
      (look && lackOf(look, manifest.object)) ?? (live && otherTimesLine(live.learned, startOf(explained)));
    const failures = (live?.failing ?? []).map(listedFailure);
    const isTold = look?.knowsFailures === true || failures.length > 0;
    return [{ ...explained, ...(lacking !== undefined && { lacking }), ...(isTold && { failures }) }];
  });
  let isComplete = manifests.problems.length === 0;
  if (output === 'text') {
    io.stdout.write(asText(workloads));
    if (!fields) printFailures(workloads, io);
  } else if (output === 'json') io.stdout.write(explanationsAsJson(workloads));
  else isComplete = (await writePictures(workloads, line.flags['output-dir'] ?? '.', io)) && isComplete;
  reportProblems([...clusterNotes(manifests, world), ...manifests.warnings, ...manifests.problems], io, world);
  return isComplete ? EXIT_OK : EXIT_USAGE;
}

/** The seconds that a container of a new Pod is guaranteed to start. */
function startOf({ containers }: WorkloadExplanation): (name: string) => number | undefined {
  return (name) =>
    containers.find((each) => each.name === name)?.figures.find(({ id }) => id === 'never-healthy-stop')?.span.earliest;
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
