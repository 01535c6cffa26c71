import { readFileSync } from 'node:fs';
import { readValuesFile } from './values-file.ts';
import { valuesReadme } from './values-readme.ts';
import { valuesSchema } from './values-schema.ts';

/** The chart's directory. */
export const CHART = 'charts/probewright';

/** The files that are made from values.yaml, by path. */
export function chartFiles(): ReadonlyMap<string, string> {
  const entries = readValuesFile(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  return new Map([
    [`${CHART}/README.md`, valuesReadme(entries)],
    [`${CHART}/values.schema.json`, `${JSON.stringify(valuesSchema(entries), null, 2)}\n`],
  ]);
}
