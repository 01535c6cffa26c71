import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatPath, withEdits } from '../../../src/base/json/field-path.ts';
import { deploymentWith, findings, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const FOLDER = 'test/fixtures/findings';

/** A workload, the objects of its cluster that are facts, and parameters of the check: and what the check finds, nothing by default. */
interface Case {
  /** Members of the container `app`, and the containers beside it; or all containers. */
  readonly app?: JsonObject;
  readonly beside?: readonly JsonObject[];
  readonly containers?: readonly JsonObject[];
  /** Other members of the Pod's spec, and of its metadata. */
  readonly pod?: JsonObject;
  readonly metadata?: JsonObject;
  /** Other members of a Deployment's spec; without them, the workload is a Pod. */
  readonly deployment?: JsonObject;
  /** A manifest in whole, in place of all of the above. */
  readonly manifest?: JsonObject;
  readonly cluster?: readonly JsonObject[];
  readonly parameters?: JsonObject;
  readonly finds?: readonly unknown[];
}

function manifestOf({ app = {}, beside, containers, pod = {}, metadata, deployment, manifest }: Case): JsonObject {
  if (manifest !== undefined) return manifest;
  const made = deployment === undefined ? podWith(app, pod) : deploymentWith(app, deployment, pod);
  const template = deployment === undefined ? made : ((made['spec'] as JsonObject)['template'] as JsonObject);
  const spec = template['spec'] as { containers: unknown };
  if (beside !== undefined) spec.containers = [...(spec.containers as unknown[]), ...beside];
  if (containers !== undefined) spec.containers = containers;
  if (metadata === undefined) return made;
  return { ...made, metadata: { name: 'web', namespace: 'apps', ...metadata } };
}

/** The findings as the cases write them: edits by path. */
function found(id: string, manifest: JsonObject, { parameters, cluster }: Case): unknown[] {
  return findings(id, manifest, parameters, cluster).map((finding) => {
    const { edits, ...others } = finding;
    if (edits === undefined) return others;
    const left = findings(id, withEdits(manifest, edits), parameters, cluster);
    expect(left, 'the finding is gone after its edits').not.toContainEqual(finding);
    return { ...others, edits: Object.fromEntries(edits.map(({ path, value }) => [formatPath(path), value])) };
  });
}

const ids = readdirSync(FOLDER).map((name) => name.replace(/\.yaml$/, ''));

it('has cases of checks only', () => expect(ids.filter((id) => !(id in CHECK_CATALOGUE))).toEqual([]));

describe.each(ids)('%s', (id) => {
  const text = readFileSync(`${FOLDER}/${id}.yaml`, 'utf8');
  const sentences = parse(text, { maxAliasCount: -1 }) as Record<string, readonly Case[]>;
  it.each(Object.entries(sentences))('%s', (_, cases) => {
    for (const given of cases)
      expect(found(id, manifestOf(given), given), JSON.stringify(given)).toEqual(given.finds ?? []);
  });
});
