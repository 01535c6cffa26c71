/** A ProbeException: which violations of which workloads its namespace tolerates, until when. */
export interface ProbeException {
  /** The exception as `ProbeException/NAMESPACE/NAME`. */
  readonly source: string;
  readonly name: string;
}
