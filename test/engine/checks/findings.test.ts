import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatPath, withEdits } from '../../../src/base/json/field-path.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { deploymentWith, findings, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const FOLDER = 'test/fixtures/findings';

/** A workload, the objects of its cluster that are facts, and parameters of the check. */
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

/** What a check finds, with edits by path; nothing is undefined. */
function found(id: string, given: Case): JsonObject {
  const manifest = manifestOf(given);
  const finds = findings(id, manifest, given.parameters, given.cluster).map((finding) => {
    const { edits, ...others } = finding;
    if (edits === undefined) return others;
    const left = findings(id, withEdits(manifest, edits), given.parameters, given.cluster);
    expect(left, 'the finding is gone after its edits').not.toContainEqual(finding);
    return { ...others, edits: Object.fromEntries(edits.map(({ path, value }) => [formatPath(path), value])) };
  });
  return { finds: finds.length > 0 ? finds : undefined };
}

const ids = readdirSync(FOLDER).map((name) => name.replace(/\.yaml$/, ''));

it('has cases of checks only', () => expect(ids.filter((id) => !(id in CHECK_CATALOGUE))).toEqual([]));

describe.each(ids)('%s', (id) => describeCases(`${FOLDER}/${id}.yaml`, ['finds'], (given) => found(id, given)));
