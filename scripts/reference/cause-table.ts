import { CAUSE_TEXTS, subjectOfCause } from '../../src/observer/failing/causes.ts';
import { markdownTable, plainText } from './markdown-table.ts';

/** The causes that the observer finds, in the words of its findings, as Markdown tables: those of probes first. */
export function causeTables(): string {
  const causes = Map.groupBy(Object.entries(CAUSE_TEXTS), ([cause]) => subjectOfCause(cause));
  const rows = (subject: 'probe' | 'container' | 'pod'): string[][] =>
    (causes.get(subject) ?? []).map(([cause, { problem, remedy }]) => [`\`${cause}\``, problem, plainText(remedy)]);
  return [
    markdownTable(['cause', 'the probe ...', 'what to do'], rows('probe')),
    markdownTable(['cause', 'the container ...', 'what to do'], rows('container')),
    markdownTable(['cause', 'what the status shows', 'what to do'], rows('pod')),
  ].join('\n');
}
