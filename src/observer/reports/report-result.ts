/** The values that the report APIs allow. */
export type ReportSeverity = 'critical' | 'high' | 'medium' | 'low' | 'info';
export type ReportOutcome = 'pass' | 'fail' | 'warn' | 'error' | 'skip';

/** One finding of a report, without what the writer of reports adds: source and time stamp. */
export interface ReportResult {
  /** The policy that set the action: `ProbePolicy/apps/static`. `probewright` for built-in behavior. */
  readonly policy: string;
  /** The id of the check, or of another kind of finding. */
  readonly rule: string;
  readonly category: string;
  readonly severity: ReportSeverity;
  readonly result: ReportOutcome;
  readonly scored: boolean;
  /**
   * Without numbers that drift, such as ages, counts and measured times: dashboards identify a finding by its message.
   */
  readonly message: string;
  /** Figures, and what a program needs to find the place. */
  readonly properties: Readonly<Record<string, string>>;
}
