/** A process that has just started: prints the processor time of its first decision, from the text to the reply, in milliseconds. */
import { readFileSync } from 'node:fs';
import { parseBody } from '../../src/webhook/review/body.ts';
import { mutate } from '../../src/webhook/review/mutate.ts';
import { decodeReview } from '../../src/webhook/review/review.ts';
import { validate } from '../../src/webhook/review/validate.ts';
import { NOW } from '../support/now.ts';
import { policySet, VALIDATE_SETTINGS } from '../support/worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const [, , webhook, policies = '', review = ''] = process.argv;
const set = policySet(...(JSON.parse(readFileSync(policies, 'utf8')) as JsonObject[]));
const text = readFileSync(review, 'utf8');
const before = process.threadCpuUsage();
const decoded = decodeReview((parseBody(text) as { value: unknown }).value);
if (decoded.problem !== undefined) throw new Error(decoded.problem);
const { request } = decoded;
const { reply } =
  webhook === 'mutate' ? mutate(request, set, 'On', NOW) : validate(request, set, VALIDATE_SETTINGS, NOW);
const answer = JSON.stringify(reply);
const { user, system } = process.threadCpuUsage(before);
console.log(JSON.stringify({ milliseconds: (user + system) / 1000, answer: answer.slice(0, 2000) }));
