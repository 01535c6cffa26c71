/** The APIs that reports are written to. `auto` = the first of openreports and wgpolicyk8s that the API server has. */
export const REPORTS_SETTINGS = ['auto', 'openreports', 'wgpolicyk8s', 'none'] as const;
export type ReportsSetting = (typeof REPORTS_SETTINGS)[number];
