import { explanationsAsText, fieldsAsText } from '../drawing/text.ts';
import { placeOfManifest } from '../manifests/manifest.ts';
import { explainManifest } from '../timeline/explain-manifest.ts';
import { EXIT_OK, EXIT_USAGE } from './io.ts';
import { explanationsAsJson } from './output/explanation-json.ts';
import { writePictures } from './output/pictures.ts';
import { readCommandInputs } from './read-command-inputs.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from '../command-line/command-definition.ts';
import type { Manifest } from '../manifests/manifest.ts';
import type { PlaceInFile } from '../manifests/policy-places.ts';
import type { FieldPlaces } from '../timeline/explained-fields.ts';
import type { EXPLAIN } from './definitions/explain.ts';
import type { CommandIo } from './io.ts';

/** Explains what the probes of manifests mean in seconds. */
export async function runExplain(line: CommandLine<typeof EXPLAIN.flags>, io: CommandIo): Promise<number> {
  const inputs = await readCommandInputs('explain', line, io);
  if (inputs === undefined) return EXIT_USAGE;
  const placesOf = ({ document, path }: Manifest): FieldPlaces => ({
    ofManifest: (field) => placeText({ file: document.file, ...document.position([...path, ...field], { key: true }) }),
    ofPolicy: (source, field) => placeText(inputs.policyPlaces.find(source, field)),
  });
  const workloads = inputs.texts
    .flatMap(({ manifests }) => manifests)
    .flatMap(
      (manifest) => explainManifest(manifest.object, placeOfManifest(manifest), inputs, placesOf(manifest)) ?? [],
    );
  let isComplete = inputs.problems.length === 0;
  const { output, fields } = line.flags;
  if (output === 'text') io.stdout.write((fields ? fieldsAsText : explanationsAsText)(workloads));
  else if (output === 'json') io.stdout.write(explanationsAsJson(workloads));
  else isComplete = (await writePictures(workloads, line.flags['output-dir'] ?? '.', io)) && isComplete;
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io);
  return isComplete ? EXIT_OK : EXIT_USAGE;
}

function placeText(place: PlaceInFile | undefined): string | undefined {
  return place && `${place.file}:${place.line}`;
}
