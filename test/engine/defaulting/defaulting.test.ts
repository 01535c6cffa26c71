import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { describeCases } from '../../support/recorded-cases.ts';
import { manifestOf, policiesOf, type WorkloadCase } from '../../support/workload-cases.ts';
import { mutation } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { MutationMode } from '../../../src/engine/policy/action.ts';

const FOLDER = 'test/fixtures/defaulting';

/** A workload, and the specs of the policies by their names, such as ProbePolicy/apps/policy. */
interface Case extends WorkloadCase {
  readonly policies?: JsonObject;
  readonly request?: JsonObject;
  readonly mode?: MutationMode;
}

/** What `/mutate` answers: the values that the patch adds by their JSON pointers, and why others are not added. */
function answer(given: Case): JsonObject {
  const policies = policiesOf(given.policies);
  const options = { ...(given.request && { request: given.request }), ...(given.mode && { mode: given.mode }) };
  const { patch, defaulting, warnings, skipped, after } = mutation(manifestOf(given), policies, options);
  expect(mutation(after, policies, options).patch, 'a second patch').toBeUndefined();
  return {
    adds: patch && Object.fromEntries(patch.map(({ path, value }) => [path, value])),
    notInjected: defaulting && defaulting.notInjected.length > 0 ? defaulting.notInjected : undefined,
    warnings: warnings.length > 0 ? warnings : undefined,
    skipped,
  };
}

describe.each(readdirSync(FOLDER))('%s', (file) =>
  describeCases(`${FOLDER}/${file}`, ['adds', 'notInjected', 'warnings', 'skipped'], (given) => answer(given)),
);
