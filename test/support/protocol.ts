import { expect } from 'vitest';
import jsonPatch from 'fast-json-patch';
import type { AddOperation } from 'fast-json-patch';

/** A reply's content, decoded. */
export interface DecodedReply {
  readonly allowed: boolean;
  readonly patch: AddOperation<unknown>[] | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/**
 * Holds a reply to what the API server demands of it (apiserver pkg/admission/plugin/webhook/request/admissionreview.go,
 * VerifyAdmissionResponse, and what it silently drops), and decodes it. Every reply in every test goes through here.
 */
export function expectValidReply(
  webhook: 'mutate' | 'validate' | 'review-policies',
  uid: string,
  reply: unknown,
): DecodedReply {
  // As it goes over the wire.
  const review = JSON.parse(JSON.stringify(reply)) as Record<string, unknown>;
  expect(Object.keys(review).sort()).toEqual(['apiVersion', 'kind', 'response']);
  expect(review).toMatchObject({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
  const response = review['response'] as Record<string, unknown>;
  expect(response['uid']).toBe(uid);
  expect(typeof response['allowed']).toBe('boolean');
  expect('patch' in response).toBe('patchType' in response);
  if (webhook !== 'mutate') expect(response).not.toHaveProperty('patch');
  const patch = 'patch' in response ? expectValidPatch(response) : undefined;
  const warnings = (response['warnings'] ?? []) as string[];
  for (const warning of warnings) expect(warning).toMatch(/^\P{Cc}+$/u);
  expect(warnings.join('').length).toBeLessThan(4096);
  const auditAnnotations = (response['auditAnnotations'] ?? {}) as Record<string, string>;
  for (const [key, value] of Object.entries(auditAnnotations)) {
    expect(key).toMatch(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/);
    expect(typeof value).toBe('string');
  }
  return { allowed: response['allowed'] as boolean, patch, warnings, auditAnnotations };
}

function expectValidPatch(response: Record<string, unknown>): AddOperation<unknown>[] {
  expect(response['patchType']).toBe('JSONPatch');
  expect(response['allowed']).toBe(true);
  const patch = JSON.parse(
    Buffer.from(response['patch'] as string, 'base64').toString('utf8'),
  ) as AddOperation<unknown>[];
  expect(patch.length).toBeGreaterThan(0);
  for (const operation of patch) expect(Object.keys(operation).sort()).toEqual(['op', 'path', 'value']);
  expect(new Set(patch.map(({ op }) => op))).toEqual(new Set(['add']));
  return patch;
}

/** The object after the patch, as the API server would have it: applied to a deep copy, strictly. */
export function patched<T>(object: T, patch: readonly AddOperation<unknown>[] | undefined): T {
  return jsonPatch.applyPatch(structuredClone(object), patch ?? [], true, true).newDocument;
}
