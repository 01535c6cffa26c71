/** A number with its noun: `1 workload`, `2 workloads`. Only for nouns whose plural adds an s. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
