import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutate, validate } from '../support/decisions.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { readPolicyDocuments } from '../../src/cli/input/world.ts';
import { readPolicyTexts } from '../../src/cli/input/input-files.ts';
import { expectValidReply, patched } from '../support/protocol.ts';
import { VALIDATE_SETTINGS, requestOf } from '../support/worlds.ts';
import { NOW } from '../support/now.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const REVIEWS = 'test/fixtures/reviews';
const GOLDEN = 'test/golden/reply';
const names = readdirSync(REVIEWS).filter((name) => name.endsWith('.json'));

async function examplePolicies(): Promise<Snapshot> {
  const { texts } = await readPolicyTexts('examples/policies');
  const { policies, facts, problems } = readPolicyDocuments(texts);
  expect(problems).toEqual([]);
  return Snapshot.of(CHECK_CATALOGUE, policies, facts);
}

/**
 * Reviews captured from a real API server, answered under the example policies. The golden files hold whole replies, patches decoded;
 * `npm test -- -u` writes them anew.
 */
describe('a captured review', () => {
  it.each(names)('%s gets the replies on record, and no patch a second time', async (name) => {
    const review = JSON.parse(readFileSync(join(REVIEWS, name), 'utf8')) as JsonObject & { request: JsonObject };
    const policies = await examplePolicies();
    const request = requestOf(review);
    const replies = {
      mutate: expectValidReply('mutate', request.uid, mutate(request, policies, 'On', NOW).reply),
      validate: expectValidReply('validate', request.uid, validate(request, policies, VALIDATE_SETTINGS, NOW).reply),
    };
    await expect(`${JSON.stringify(replies, null, 2)}\n`).toMatchFileSnapshot(`reply/${name}`);

    if (review.request['object'] === null) return;
    const again = {
      ...review,
      request: { ...review.request, object: patched(review.request['object'], replies.mutate.patch) },
    };
    expect(
      expectValidReply('mutate', request.uid, mutate(requestOf(again), policies, 'On', NOW).reply).patch,
    ).toBeUndefined();
  });

  it('has a golden file, and no golden file is without a review', () => {
    expect(readdirSync(GOLDEN).sort()).toEqual([...names].sort());
  });
});
