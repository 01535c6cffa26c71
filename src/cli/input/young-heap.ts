/** V8 would let the young part of the heap grow to 134 MB; a larger one than this saves no time. */
const MOST_YOUNG_BYTES = 16_000_000;
/** Few files do not fill it, and need not load `node:v8`. */
const FEW_CALLS = 16;

/** Returns a function that stops the growth of the young heap when it is large enough. To be called now and then. */
export function youngHeapBound(): () => void {
  let [isBound, calls] = [false, 0];
  return () => {
    if (isBound || calls++ < FEW_CALLS) return;
    const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    isBound = (young?.space_size ?? 0) >= MOST_YOUNG_BYTES;
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1');
  };
}
