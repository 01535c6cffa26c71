/** Longest stem of a file name, in characters: file systems allow 255 bytes, and a number and an ending come on top. */
const LONGEST_STEM = 200;

/** Gives each workload a file name of its own: `deployment-apps-web.svg`, and `deployment-apps-web-2.svg` for the next of that name. */
export class FileNames {
  readonly #taken = new Set<string>();

  next({
    kind,
    namespace,
    name,
  }: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): string {
    const stem = safe(`${kind}-${namespace}-${name}`);
    for (let count = 1; ; count += 1) {
      const candidate = count === 1 ? `${stem}.svg` : `${stem}-${count}.svg`;
      if (this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }
}

/** Letters, digits, dashes and single dots inside: nothing that a shell, a file system or a path would take for something else. */
function safe(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/[-.]{2,}/g, '-');
  return plain.slice(0, LONGEST_STEM).replace(/^[-.]+|[-.]+$/g, '') || 'workload';
}
