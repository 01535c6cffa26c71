import { compareText, count } from '../../base/text/cut.ts';
import { formatInstant } from '../../base/text/duration.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { profileName } from '../../engine/facts/startup-profile.ts';
import { exceptionRules, DAY_MILLISECONDS } from '../../engine/policy/probe-exception.ts';
import { mayExceptAll } from '../../engine/verdict/exceptions-of-workload.ts';
import { exceptionLines } from '../../webhook/review/exception-to-paste.ts';
import { printLine, UsageError, type CommandIo } from '../io.ts';
import { writeFindings } from './baseline.ts';
import { withoutKnown } from './known-findings.ts';
import { selectedFindings, type CheckReport, type FindingIdentity, type Selection } from './report.ts';
import type { World } from '../input/world.ts';

/** Who asked for exceptions, and until when. */
interface Asked {
  readonly owner: string;
  /** In milliseconds since the epoch. */
  readonly expires: number;
}

const REASON = 'Found by probewright check, and to be repaired before the exception ends.';

/** ProbeExceptions for findings, as YAML: one for each container, with the checks of its findings. */
export function exceptionsText(findings: readonly FindingIdentity[], { owner, expires }: Asked): string {
  const byContainer = Map.groupBy(findings, ({ namespace, kind, name, container }) =>
    JSON.stringify([namespace, kind, name, container]),
  );
  const sorted = [...byContainer].toSorted(([one], [other]) => compareText(one, other));
  return sorted.map(([, own]) => exceptionText(own, owner, expires)).join('---\n');
}

function exceptionText(findings: readonly FindingIdentity[], owner: string, expires: number): string {
  const [{ namespace, kind, name, container } = { namespace: '', kind: '', name: '', container: '' }] = findings;
  const lines = exceptionLines(profileName(kind, container === '' ? name : `${name}-${container}`), namespace, {
    checks: [...new Set(findings.map(({ check }) => check))].toSorted(compareText),
    workloads: [{ kind, name }],
    ...(container !== '' && { containers: [container] }),
    ...{ owner, reason: REASON, expires: formatInstant(expires) },
  });
  return `${lines.join('\n')}\n`;
}

/**
 * Writes ProbeExceptions for what is found now, and leaves it out of the report. What no exception allows stays: the
 * policies limit exceptions, and an object without a name has none. Undefined, after a message, when the file cannot
 * be written.
 *
 * @throws UsageError for an end that has passed
 */
export async function applyExceptions(
  report: CheckReport,
  file: string,
  asked: Asked,
  selection: Selection,
  { snapshot, now }: World,
  io: CommandIo,
): Promise<CheckReport | undefined> {
  if (asked.expires <= now) throw new UsageError('--expires: has passed, so no exception would be honoured');
  if (report.problems.length > 0) {
    printLine(io.stderr, `${file}: is not written, because an input cannot be read`);
    return report;
  }
  const policyOf = (namespace: string) => snapshot.policyFor(namespace, new Map());
  const found = selectedFindings(report, selection);
  const allowed = found.filter(({ check, kind, namespace, name }) => {
    const isNamed = namespace !== '' && /^[a-z0-9][a-z0-9.-]*$/.test(name) && !kind.endsWith('ProbePolicy');
    return isNamed && mayExceptAll(policyOf(namespace), [check]);
  });
  const days = Math.min(...allowed.map(({ namespace }) => exceptionRules(policyOf(namespace).layers).maximumDays));
  try {
    await writeFindings(file, exceptionsText(allowed, asked));
  } catch (error) {
    printLine(io.stderr, messageOf(error));
    return undefined;
  }
  const left = found.length - allowed.length;
  if (left > 0) printLine(io.stderr, `${file}: ${count(left, 'finding')} may have no exception, and must be repaired`);
  if (asked.expires > now + days * DAY_MILLISECONDS)
    printLine(io.stderr, `${file}: policies end an exception ${days} days after it was created, before --expires`);
  const { violations, known } = withoutKnown(report.violations, allowed);
  return { ...report, violations, known: { baseline: file, findings: known } };
}
