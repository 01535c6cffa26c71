/** Pods without a controller: namespaces by UID. Every replica knows them, so a new leader need not list all Pods. */
export class StandalonePods extends Map<string, string> {
  /** True once a whole list has been read. */
  isListed = false;

  get namespaces(): readonly string[] {
    return [...new Set(this.values())];
  }

  /** A list of all Pods is complete: what it has not shown is gone. */
  listed(uids: ReadonlySet<string>): void {
    for (const uid of this.keys()) if (!uids.has(uid)) this.delete(uid);
    this.isListed = true;
  }
}
