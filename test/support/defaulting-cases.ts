import { expect } from 'vitest';
import { describeCases } from './recorded-cases.ts';
import { manifestOf, policiesOf, type WorkloadCase } from './workload-cases.ts';
import { mutation } from './worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { MutationMode } from '../../src/engine/policy/action.ts';

/** A workload, and the specs of the policies by their names, such as ProbePolicy/apps/policy. */
interface Case extends WorkloadCase {
  readonly policies?: JsonObject;
  readonly request?: JsonObject;
  readonly mode?: MutationMode;
}

/** Tests the cases of a file in test/fixtures/defaulting. The test of the file's subject calls it. */
export function describeDefaulting(name: string): void {
  const members = ['adds', 'notInjected', 'warnings', 'skipped'];
  describeCases(`test/fixtures/defaulting/${name}.yaml`, members, (given) => answer(given));
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
