import { readdirSync, readFileSync } from 'node:fs';
import { readValuesFile } from './values-file.ts';
import { policyTextsFile } from './policy-texts.ts';
import { serveLimitsFile } from './serve-limits.ts';
import { valuesReadme } from './values-readme.ts';
import { valuesSchema } from './values-schema.ts';
import { valuesWithDefaultsFile } from './values-with-defaults.ts';

/** The chart's directory. */
export const CHART = 'charts/probewright';

/**
 * The files that are made from values.yaml, the settings of `probewright serve` and the definitions of policies, by
 * path.
 */
export function chartFiles(): ReadonlyMap<string, string> {
  const entries = readValuesFile(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  return new Map([
    [`${CHART}/README.md`, valuesReadme(entries)],
    [`${CHART}/values.schema.json`, `${JSON.stringify(valuesSchema(entries), null, 2)}\n`],
    [`${CHART}/files/values-with-defaults.txt`, valuesWithDefaultsFile(entries)],
    [`${CHART}/files/policy-texts.yaml`, policyTextsFile()],
    [`${CHART}/files/serve-limits.yaml`, serveLimitsFile()],
    ...libraryFiles(),
  ]);
}

const LIBRARY = 'examples/library';

/** The policies of the library that the chart can install. Those for frameworks are comments until somebody sets a label. */
function libraryFiles(): (readonly [string, string])[] {
  return readdirSync(LIBRARY)
    .map((name) => [`${CHART}/files/library/${name}`, readFileSync(`${LIBRARY}/${name}`, 'utf8')] as const)
    .filter(([, text]) => /^apiVersion:/m.test(text));
}
