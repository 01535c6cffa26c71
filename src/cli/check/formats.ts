import { textReport } from './text.ts';
import type { ReportFormat } from './report.ts';

/** The formats of a report, in the order of the help: a row and a file for each. Only the first is always loaded. */
export const FORMATS = {
  text: () => Promise.resolve(textReport),
  json: async () => (await import('./json.ts')).jsonReport,
  sarif: async () => (await import('./sarif.ts')).sarifReport,
  junit: async () => (await import('./junit.ts')).junitReport,
  github: async () => (await import('./github.ts')).githubReport,
  gitlab: async () => (await import('./gitlab.ts')).gitlabReport,
  markdown: async () => (await import('./markdown.ts')).markdownReport,
} as const satisfies Readonly<Record<string, () => Promise<ReportFormat>>>;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly (keyof typeof FORMATS)[];
