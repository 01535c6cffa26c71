import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** V8 would let the young part of the heap grow to 134 MB; a larger one than this saves no time. */
const MOST_YOUNG_BYTES = 16_000_000;

/** Returns a function that stops the growth of the young heap when it is large enough. To be called now and then. */
export function youngHeapBound(): () => void {
  let isBound = false;
  return () => {
    if (isBound) return;
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    isBound = (young?.space_size ?? 0) >= MOST_YOUNG_BYTES;
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1');
  };
}
