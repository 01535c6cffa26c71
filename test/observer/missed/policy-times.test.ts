import { describe, expect, it } from 'vitest';
import { readPolicyTimes, specChangedAt } from '../../../src/observer/missed/policy-times.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('the time of the last change of a policy', () => {
  const creationTimestamp = '2026-11-01T00:00:00Z';
  const entry = (time: string, fields: JsonObject, subresource?: string): JsonObject => ({
    manager: 'kubectl',
    time,
    fieldsV1: fields,
    ...(subresource && { subresource }),
  });

  it('is the creation for a spec that never changed', () => {
    expect(
      specChangedAt({
        generation: 1,
        creationTimestamp,
        managedFields: [entry('2026-11-09T00:00:00Z', { 'f:spec': {} })],
      }),
    ).toBe(Date.parse(creationTimestamp));
  });

  it('is the last write of a manager that owns something of the spec', () => {
    const managedFields = [
      entry('2026-11-02T00:00:00Z', { 'f:spec': {} }),
      entry('2026-11-03T00:00:00Z', { 'f:spec': {}, 'f:metadata': {} }),
      entry('2026-11-04T00:00:00Z', { 'f:metadata': {} }),
      entry('2026-11-05T00:00:00Z', { 'f:status': {}, 'f:spec': {} }, 'status'),
    ];
    expect(specChangedAt({ generation: 3, creationTimestamp, managedFields })).toBe(Date.parse('2026-11-03T00:00:00Z'));
  });

  it('is unknown for a server that did not date the change', () => {
    const managedFields = [entry(creationTimestamp, { 'f:spec': {} })];
    expect(specChangedAt({ generation: 2, creationTimestamp, managedFields })).toBeUndefined();
  });

  it.each<[JsonObject]>([
    [{}],
    [{ generation: 2, creationTimestamp }],
    [{ generation: 2, managedFields: [null, 7, { fieldsV1: [] }] }],
  ])('is unknown otherwise: %o', (metadata) => {
    expect(specChangedAt(metadata)).toBeUndefined();
  });

  it('has no write without a time, and no creation that is not told', () => {
    const time = '2026-11-02T00:00:00Z';
    const managedFields = [entry(time, { 'f:spec': {} }), entry('soon', { 'f:spec': {} }), { 'f:spec': {} }];
    expect(specChangedAt({ generation: 2, managedFields })).toBe(Date.parse(time));
    expect(specChangedAt({ generation: 1 })).toBeUndefined();
  });
});

describe('the times of all policies', () => {
  it('are read from metadata, with the managed fields, by the source of each policy', async () => {
    const time = '2026-11-02T00:00:00Z';
    const managedFields = [{ time, fieldsV1: { 'f:spec': {} } }];
    const metadata = { creationTimestamp: '2026-11-01T00:00:00Z', generation: 2, managedFields };
    const answering = new AnsweringClient(({ path }) =>
      path.endsWith('/probepolicies')
        ? listOf(
            { metadata: { ...metadata, name: 'web', namespace: 'shop' } },
            { metadata: { name: 'new', namespace: 'shop' } },
          )
        : listOf({ metadata: { ...metadata, name: 'all', generation: 1 } }),
    );
    expect(await readPolicyTimes(answering)).toStrictEqual(
      new Map([
        ['ProbePolicy/shop/web', Date.parse(time)],
        ['ProbePolicy/shop/new', undefined],
        ['ClusterProbePolicy/all', Date.parse('2026-11-01T00:00:00Z')],
      ]),
    );
    expect(answering.sent).toEqual([
      'GET /apis/probewright.dev/v1alpha1/probepolicies',
      'GET /apis/probewright.dev/v1alpha1/clusterprobepolicies',
    ]);
    expect(answering.requests[0]?.accept).toContain('as=PartialObjectMetadataList');
  });

  it('are unknown when the API server refuses one of the lists', async () => {
    const answering = new AnsweringClient(({ path }) =>
      path.endsWith('/probepolicies') ? listOf() : new Error('forbidden'),
    );
    await expect(readPolicyTimes(answering)).rejects.toThrow('forbidden');
  });
});
