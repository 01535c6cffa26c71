/** Puts items at the end of a list, however many: what is spread into a call has to fit on the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
