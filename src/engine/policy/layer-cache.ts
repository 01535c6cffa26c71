/**
 * A function of lists of layers that remembers its results. It lives as long as the policies, so it holds no old
 * version, and it has a limit (`most` lists), because callers choose labels and namespaces.
 */
export function remembered<Layer extends object, Made>(
  most: number,
  make: (layers: readonly Layer[]) => Made,
): (layers: readonly Layer[]) => Made {
  // A source is not enough as a key: a policy in a file and one in the cluster may have the same source.
  const numbers = new WeakMap<Layer, number>();
  const results = new Map<string, Made>();
  let last = 0;
  return (layers) => {
    let key = '';
    for (const layer of layers) {
      let number = numbers.get(layer);
      if (number === undefined) numbers.set(layer, (number = ++last));
      key += `${number} `;
    }
    const known = results.get(key);
    if (known !== undefined) return known;
    const made = make(layers);
    if (results.size >= most) results.clear();
    results.set(key, made);
    return made;
  };
}
