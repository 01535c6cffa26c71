import { explanationsAsText, fieldsAsText } from '../explain/drawing/text.ts';
import { placeOfManifest } from './input/manifest.ts';
import { explainManifest } from '../explain/timeline/explain-manifest.ts';
import { isInCluster } from './cluster-place.ts';
import { EXIT_OK, EXIT_USAGE } from './io.ts';
import { printFailures, readFailures } from './explain-failures.ts';
import { explanationsAsJson } from './output/explanation-json.ts';
import { writePictures } from './output/pictures.ts';
import { readAnyInputs } from './read-command-inputs.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { FailuresOf, WorkloadWithFailures } from './explain-failures.ts';
import type { Manifest } from './input/manifest.ts';
import type { PlaceInFile } from './input/policy-places.ts';
import type { FieldPlaces } from '../explain/timeline/explained-fields.ts';
import type { EXPLAIN } from './definitions/explain.ts';
import type { Origin } from './cluster-place.ts';
import type { CommandIo } from './io.ts';

/** Explains what the probes of manifests mean in seconds. */
export async function runExplain(line: CommandLine<typeof EXPLAIN.flags>, io: CommandIo): Promise<number> {
  const inputs = await readAnyInputs('explain', line, io);
  if (inputs === undefined) return EXIT_USAGE;
  const placesOf = ({ document, path }: Manifest): FieldPlaces => ({
    ofManifest: (field) =>
      placeText({ file: document.file, ...document.position([...path, ...field], { key: true }) }, inputs),
    ofPolicy: (source, field) => placeText(inputs.policyPlaces.find(source, field), inputs),
  });
  const { output, fields } = line.flags;
  const showsFailures = output === 'json' || (output === 'text' && !fields);
  const failuresOf: FailuresOf = showsFailures ? await readFailures(line, inputs, io) : () => undefined;
  const workloads = inputs.texts
    .flatMap(({ manifests }) => manifests)
    .flatMap((manifest): WorkloadWithFailures[] => {
      const explained = explainManifest(manifest.object, placeOf(manifest, inputs), inputs, placesOf(manifest));
      const failures = failuresOf(manifest.object);
      return explained === undefined ? [] : [{ ...explained, ...(failures && { failures }) }];
    });
  let isComplete = inputs.problems.length === 0;
  if (output === 'text') {
    io.stdout.write((fields ? fieldsAsText : explanationsAsText)(workloads));
    if (!fields) printFailures(workloads, io);
  } else if (output === 'json') io.stdout.write(explanationsAsJson(workloads));
  else isComplete = (await writePictures(workloads, line.flags['output-dir'] ?? '.', io)) && isComplete;
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io, inputs);
  return isComplete ? EXIT_OK : EXIT_USAGE;
}

function placeOf(manifest: Manifest, origin: Origin): string {
  const { file } = manifest.document;
  return isInCluster(file, origin) ? file : placeOfManifest(manifest);
}

function placeText(place: PlaceInFile | undefined, origin: Origin): string | undefined {
  return place && (isInCluster(place.file, origin) ? place.file : `${place.file}:${place.line}`);
}
