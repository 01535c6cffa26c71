/** Calls a function for each item, at most `most` at once. Resolves with the results in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  most: number,
  call: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await call(items[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
