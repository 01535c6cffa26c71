import { jsonText } from '../../base/text/visible.ts';
import { count } from '../../base/text/cut.ts';
import { annotation } from '../check/github.ts';
import { testSuites, type TestCase } from '../check/junit.ts';
import { paragraph, type Screen, type Style } from '../output/screen.ts';
import { objectName } from '../check/report.ts';
import { isInCluster, placeText, type ObjectOrigin } from '../input/cluster-object.ts';
import { triedSummary } from './tried-probe.ts';
import type { Start } from './awaited-start.ts';
import type { AdvisedEdit, TriedProbe, TryOutput, TryResult } from '../output/json-outputs.ts';
import type { TryFormatName } from './definition.ts';

/** All that `try` prints. */
export interface TryReport extends ObjectOrigin {
  readonly probes: readonly TriedProbe[];
  /** With `--wait`: how long each container took to start, as far as it was seen. */
  readonly starts: readonly Start[];
}

const STYLES: Readonly<Record<TryResult, Style>> = {
  passes: 'added',
  warns: 'warning',
  fails: 'error',
  'not run': 'note',
};
const COMMANDS = { passes: 'notice', warns: 'warning', fails: 'error', 'not run': 'notice' } as const;

/** For people: a block for each workload, and a line with the numbers. */
function textReport({ probes, starts, ...origin }: TryReport, screen: Screen): string {
  const blocks = [...Map.groupBy(probes, objectName)].map(([workload, own]) => {
    const { file = '', line = 1 } = own[0] ?? {};
    const place = isInCluster(file, origin) ? '' : ` (${placeText({ file, line }, origin)})`;
    return [
      ...paragraph(screen, { text: `${workload}${place}`, style: 'heading' }),
      ...own.flatMap((probe) => probeLines(probe, screen)),
      ...starts
        .filter(({ container }) => own.some((one) => one.container === container))
        .flatMap((start) => paragraph(screen, { text: startText(start), indent: 2 })),
    ];
  });
  const summary = paragraph(screen, { text: summaryText(probes), style: 'heading' });
  return [...blocks, summary].map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

function probeLines(probe: TriedProbe, screen: Screen): string[] {
  const { container, handler, result, event, notes, edits } = probe;
  const more = (text: string, style?: Style): string[] =>
    text === '' ? [] : paragraph(screen, { text, indent: 10, ...(style !== undefined && { style }) });
  return [
    ...paragraph(screen, {
      text: `${container}: ${probe.probe} ${handler}${timesText(probe)}`,
      indent: 2,
      label: { text: result.padEnd(8), style: STYLES[result] },
    }),
    ...more(event.trimEnd(), 'faint'),
    ...notes.flatMap((note) => more(note)),
    ...more(remedyText(probe)),
    ...edits.flatMap((edit) => more(editText(edit), 'added')),
  ];
}

function remedyText({ cause, remedy }: TriedProbe): string {
  return cause === null ? remedy : `${cause}: ${remedy}`;
}

function editText({ path, value }: AdvisedEdit): string {
  return value === null ? `remove ${path}` : `${path}: ${jsonText(value)}`;
}

function timesText({ milliseconds, timeoutSeconds }: TriedProbe): string {
  if (milliseconds === null) return '';
  const { median, longest } = milliseconds;
  return `: median ${median} ms, longest ${longest} ms of ${timeoutSeconds} s`;
}

function startText({ container, seconds, guaranteedBy, guaranteedSeconds, failureThreshold }: Start): string {
  if (seconds === null) return `${container} was up already, so its start was not measured.`;
  const started = `${container} started in ${seconds} s.`;
  if (guaranteedBy === undefined || guaranteedSeconds === undefined) return started;
  const guaranteed = `${started} Its ${guaranteedBy} guarantees ${guaranteedSeconds} s`;
  if (seconds <= guaranteedSeconds) return `${guaranteed}, which is enough for this start.`;
  // A liveness probe with more failures would also find a deadlock later.
  return guaranteedBy === 'startupProbe'
    ? `${guaranteed} only: set its failureThreshold: ${failureThreshold} or more.`
    : `${guaranteed} only: give the container a startupProbe.`;
}

function summaryText(probes: readonly TriedProbe[]): string {
  const { passes, fails, warns, notRun } = triedSummary(probes);
  const parts = [`${passes} ${passes === 1 ? 'passes' : 'pass'}`, `${fails} ${fails === 1 ? 'fails' : 'fail'}`];
  if (warns > 0) parts.push(`${warns} ${warns === 1 ? 'warns' : 'warn'}`);
  if (notRun > 0) parts.push(`${notRun} not run`);
  return `${count(probes.length, 'probe')}: ${parts.join(', ')}`;
}

function jsonReport({ probes, starts }: TryReport): string {
  const output: TryOutput = { probes, summary: triedSummary(probes), ...(starts.length > 0 && { starts }) };
  return `${jsonText(output, undefined, 2)}\n`;
}

function sentence(probe: TriedProbe): string {
  return [probe.event.trimEnd(), ...probe.notes, remedyText(probe), ...probe.edits.map(editText)]
    .filter(Boolean)
    .join('; ')
    .replaceAll(/([.:]); /g, '$1 ');
}

/** A pass that needs no words. */
function isPlainPass({ result, notes }: TriedProbe): boolean {
  return result === 'passes' && notes.length === 0;
}

function titleOf(probe: TriedProbe): string {
  return `${objectName(probe)} ${probe.container}.${probe.probe}: ${probe.handler}`;
}

function junitReport({ probes }: TryReport): string {
  const cases = probes.map((probe): TestCase => ({
    file: probe.file,
    line: probe.line,
    title: titleOf(probe),
    className: probe.cause ?? 'probe',
    result: probe.result === 'fails' ? 'failure' : 'passed',
    text: isPlainPass(probe) ? '' : `${probe.result}: ${sentence(probe)}`,
  }));
  return testSuites(cases, 'no probes');
}

function githubReport({ probes }: TryReport): string {
  return probes
    .filter((probe) => !isPlainPass(probe))
    .map((probe) => annotation(COMMANDS[probe.result], probe, titleOf(probe), sentence(probe)))
    .join('');
}

/** The formats of `--output`. */
export const TRY_REPORTS: Readonly<Record<TryFormatName, (report: TryReport, screen: Screen) => string>> = {
  text: textReport,
  json: jsonReport,
  junit: junitReport,
  github: githubReport,
};
