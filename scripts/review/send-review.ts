import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { stringify } from 'yaml';
import { isJsonObject, jsonOf, objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { patchedObject } from '../../src/webhook/review/stored-pod.ts';

/** Where `npm start` listens. Other addresses have other certificates, so the client calls no other. */
const HOST = '127.0.0.1';
const TIMEOUT_MILLISECONDS = 10_000;

/** What the client prints, and its exit code: 0 allowed, 1 denied, 2 no answer. */
export interface ReviewResult {
  readonly code: 0 | 1 | 2;
  readonly text: string;
}

interface Reply {
  readonly response?: {
    readonly allowed?: boolean;
    readonly patch?: string;
    readonly warnings?: readonly string[];
    readonly status?: { readonly message?: string };
  };
}

/**
 * Sends an AdmissionReview to the development server, as an API server does: to /mutate, and with the patch of the reply to /validate.
 *
 * @param file an AdmissionReview as JSON
 * @param caFile the CA that the development server made, in PEM
 */
export async function sendReview(file: string, port: number, caFile: string): Promise<ReviewResult> {
  const body = await readFile(file, 'utf8').catch(() => undefined);
  if (body === undefined) return problem(`${file} cannot be read`);
  const ca = await readFile(caFile).catch(() => undefined);
  if (ca === undefined)
    return problem(`${caFile} is missing, which the server makes at its start; run "npm start" first`);
  const review = jsonOf(body);
  const request = isJsonObject(review) ? objectMember(review, 'request') : undefined;
  const object = request && objectMember(request, 'object');
  try {
    const { response = {} } = await post('/mutate', body, port, ca);
    if (object === undefined || response.patch === undefined)
      return resultOf(undefined, await post('/validate', body, port, ca));
    const stored = patchedObject(object, response);
    const patchedBody = JSON.stringify({ ...(review as JsonObject), request: { ...request, object: stored } });
    return resultOf(stored, await post('/validate', patchedBody, port, ca));
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const nobody = code === 'ECONNREFUSED' ? 'nobody answers' : `no answer (${message})`;
    return problem(`${nobody} at https://${HOST}:${port}; run "npm start" in another terminal first`);
  }
}

/** @param stored the object that the API server stores; undefined without a patch */
function resultOf(stored: JsonObject | undefined, validation: Reply): ReviewResult {
  const isAllowed = validation.response?.allowed === true;
  const lines = [
    `# /mutate: ${stored === undefined ? 'no patch' : 'the API server stores this object'}`,
    ...(stored === undefined ? [] : [stringify(withoutManagedFields(stored)).trimEnd()]),
    `# /validate: ${isAllowed ? 'allowed' : 'denied'}`,
    ...(validation.response?.warnings ?? []).map((warning) => `# warning: ${warning}`),
    ...(validation.response?.status?.message ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => `# ${line}`),
  ];
  return { code: isAllowed ? 0 : 1, text: `${lines.join('\n')}\n` };
}

/** kubectl hides these fields, too. */
function withoutManagedFields(object: JsonObject): JsonObject {
  const { managedFields, ...metadata } = objectMember(object, 'metadata') ?? {};
  return managedFields === undefined ? object : { ...object, metadata };
}

const problem = (text: string): ReviewResult => ({ code: 2, text: `review: ${text}\n` });

/** @throws Error when there is no connection, or when the answer is no JSON of HTTP 200 */
function post(path: string, body: string, port: number, ca: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request({ host: HOST, port, path, method: 'POST', ca, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(JSON.parse(text) as Reply);
        else reject(new Error(`HTTP ${answer.statusCode}: ${text}`));
      });
    });
    call.setTimeout(TIMEOUT_MILLISECONDS, () =>
      call.destroy(new Error(`nothing for ${TIMEOUT_MILLISECONDS / 1000} s`)),
    );
    call.on('error', reject);
    call.end(body);
  });
}
