import { describe, expect, it } from 'vitest';
import { laterTimes, readPolicyTimes, specChangedAt } from '../../../src/observer/missed/policy-times.ts';
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

  it('is the second reading, when the generation has grown between two readings and no write is dated', () => {
    const at = (
      generation: number,
      time: number | undefined,
    ): Map<string, { generation: number; at: number | undefined }> => new Map([['p', { generation, at: time }]]);
    expect(laterTimes(new Map(), at(1, 10), 99)).toStrictEqual(at(1, 10));
    expect(laterTimes(at(1, 10), at(2, undefined), 99)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(1, 10), at(2, 50), 99)).toStrictEqual(at(2, 50));
    expect(laterTimes(at(2, 99), at(2, undefined), 120)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(2, undefined), at(2, undefined), 120)).toStrictEqual(at(2, undefined));
  });

  it.each<[JsonObject]>([
    [{}],
    [{ generation: 2, creationTimestamp }],
    [{ generation: 2, managedFields: [null, 7, { fieldsV1: [] }] }],
  ])('is unknown otherwise: %o', (metadata) => {
    expect(specChangedAt(metadata)).toBeUndefined();
  });

  it('is later than the known one, or stays: a write of the same time changes nothing', () => {
    const at = (
      generation: number,
      time: number | undefined,
    ): Map<string, { generation: number; at: number | undefined }> => new Map([['p', { generation, at: time }]]);
    expect(laterTimes(at(1, undefined), at(2, 50), 99)).toStrictEqual(at(2, 50));
    expect(laterTimes(at(1, 50), at(2, 50), 99)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(1, 50), at(2, 40), 99)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(2, 99), at(2, 50), 120)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(3, 99), at(2, undefined), 120)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(1, 1), new Map(), 120)).toStrictEqual(new Map());
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
        ['ProbePolicy/shop/web', { generation: 2, at: Date.parse(time) }],
        ['ProbePolicy/shop/new', { generation: 0, at: undefined }],
        ['ClusterProbePolicy/all', { generation: 1, at: Date.parse('2026-11-01T00:00:00Z') }],
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
