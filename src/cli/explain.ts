import { explanationsAsText } from '../drawing/text.ts';
import { placeOfManifest } from '../manifests/manifest.ts';
import { explainManifest } from '../timeline/explain-manifest.ts';
import { EXIT_OK, EXIT_USAGE } from './io.ts';
import { writePictures } from './output/pictures.ts';
import { readCommandInputs } from './read-command-inputs.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from '../command-line/command-definition.ts';
import type { EXPLAIN } from './definitions/explain.ts';
import type { CommandIo } from './io.ts';

/** Explains what the probes of manifests mean in seconds. */
export async function runExplain(line: CommandLine<typeof EXPLAIN.flags>, io: CommandIo): Promise<number> {
  const inputs = await readCommandInputs('explain', line, io);
  if (inputs === undefined) return EXIT_USAGE;
  const workloads = inputs.texts
    .flatMap(({ manifests }) => manifests)
    .flatMap((manifest) => explainManifest(manifest.object, placeOfManifest(manifest), inputs) ?? []);
  let isComplete = inputs.problems.length === 0;
  if (line.flags.output === 'text') io.stdout.write(explanationsAsText(workloads));
  else isComplete = (await writePictures(workloads, line.flags['output-dir'] ?? '.', io)) && isComplete;
  reportProblems([...inputs.policyWarnings, ...inputs.problems], io);
  return isComplete ? EXIT_OK : EXIT_USAGE;
}
