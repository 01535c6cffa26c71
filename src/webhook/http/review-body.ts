import { decodeReview } from '../review/review.ts';
import { httpError } from './http-error.ts';
import { jsonInSteps } from './json-steps.ts';
import { jsonWeight } from './json-weight.ts';
import type { AdmissionRequest } from '../review/review.ts';
import type { Steps } from '../../base/steps.ts';

/**
 * The memory limit for one parsed body. The chart's heap has room for this body beside all other limits. Lists of
 * environment variables are the densest part of Pods, and are read up to 3 to 5 MiB. A smaller body is only rejected if
 * the body consists of tiny members.
 */
export const PARSED_LIMIT_BYTES = 48 * 1024 * 1024;
const MOST_MIB = PARSED_LIMIT_BYTES / 1024 / 1024;
const TOO_HEAVY = `the body is made of so many small members that it may take more than ${MOST_MIB} MiB of memory`;

/** Converts a thrown value to an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The request of a review. Throws an error with HTTP 400 for an invalid review. */
export function decoded(body: unknown, textLength: number): AdmissionRequest {
  const decoding = decodeReview(body, textLength);
  if ('problem' in decoding) throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoding.problem}`);
  return decoding.request;
}

/** Parses a body as JSON. JSON.parse keeps a `__proto__` or `constructor` key as a plain member. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notJson(error);
  }
}

/** Parses a long body in steps. */
export function* parsedInSteps(text: string): Steps<unknown> {
  try {
    return yield* jsonInSteps(text);
  } catch (error) {
    if (error instanceof RangeError) throw httpError(400, `the body cannot be read: ${error.message}`);
    throw notJson(error);
  }
}

function notJson(error: unknown): Error {
  return httpError(400, `the body is not JSON: ${asError(error).message}`);
}

/** The maximum memory of the parsed text, in bytes. Throws if the text exceeds the limit. */
export function weightOf(text: string): number {
  const weight = jsonWeight(text, PARSED_LIMIT_BYTES);
  if (weight > PARSED_LIMIT_BYTES) throw httpError(413, TOO_HEAVY);
  return weight;
}
