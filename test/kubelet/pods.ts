import type { JsonObject } from '../../src/base/json/json-value.ts';

let serial = 0;

/** A Pod as the API server stores it, for `PodTruth.pod`. The containers are given without an image. */
export function podOf(containers: readonly JsonObject[], spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  serial += 1;
  const image = (one: JsonObject): JsonObject => ({ image: 'registry.example.com/shop:2.31.0', ...one });
  const { initContainers, ...rest } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `web-7d4b9c6f5-${serial}`, namespace: 'apps', uid: `pod-${serial}`, ...metadata },
    spec: {
      ...rest,
      ...(Array.isArray(initContainers) && { initContainers: (initContainers as JsonObject[]).map(image) }),
      containers: containers.map(image),
    },
  };
}

/** Numbers from 0 up to 1 that are the same in each run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
