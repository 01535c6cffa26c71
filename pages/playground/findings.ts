import { formatException } from '../../src/cli/check/finding-parts.ts';
import { checkUrl } from '../../src/engine/checks/violation.ts';
import { LEVELS_OF } from '../../src/engine/verdict/levels.ts';
import { formatPath } from '../../src/base/json/field-path.ts';
import { count } from '../../src/base/text/cut.ts';
import { visible } from '../../src/base/text/visible.ts';
import { element, find } from './find.ts';
import type { PlacedViolation, ShownReport } from '../../src/cli/check/report.ts';
import type { FileProblem } from '../../src/cluster/sources/policy-documents.ts';
import type { Mark } from './editor.ts';

/** A finding as the page shows it. */
export interface Finding extends Mark {
  readonly file: string;
  readonly label: 'Problem' | 'Denied' | 'Warned' | 'Note' | 'Excepted';
  readonly problem: string;
  readonly remedy: string;
  /** The object and the field. */
  readonly where: string;
  readonly check: string;
  /** The exception that allows the violation, or allowed it until its end. */
  readonly exception: string;
}

const LABELS = { Deny: 'Denied', Warn: 'Warned', Audit: 'Note', Excepted: 'Excepted' } as const;
const CLASSES = { Problem: 'deny', Denied: 'deny', Warned: 'warn', Note: 'note', Excepted: 'note' } as const;
const SEVERITIES = { error: 'error', warning: 'warning', note: 'info' } as const;

/** More findings make the page slow. */
const MOST_SHOWN = 300;

/** What a report says, what cannot be read first. */
export function findingsOf({ problems, warnings, violations }: ShownReport): Finding[] {
  return [
    ...problems.map((each) => ofText(each, 'Problem', 'error')),
    ...warnings.map((each) => ofText(each, 'Warned', 'warning')),
    ...violations.map(ofViolation),
  ];
}

function ofText(
  { file, line, column, message }: FileProblem,
  label: Finding['label'],
  severity: Mark['severity'],
): Finding {
  const problem = visible(message.replace(/^warning: /, ''));
  return {
    file,
    line,
    column,
    label,
    severity,
    problem,
    message: problem,
    remedy: '',
    where: '',
    check: '',
    exception: '',
  };
}

function ofViolation(violation: PlacedViolation): Finding {
  const { file, line, column, action, check, kind, namespace, name, path } = violation;
  const problem = visible(violation.message);
  const remedy = visible(violation.remedy ?? '');
  const object = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  return {
    file,
    line,
    column,
    label: LABELS[action],
    severity: SEVERITIES[LEVELS_OF[action].level],
    problem,
    remedy,
    message: `${LABELS[action]}: ${problem} (${check})${remedy === '' ? '' : `\n${remedy}`}`,
    where: visible(`${object}, ${formatPath(path)}`),
    check,
    exception: exceptionText(violation),
  };
}

function exceptionText({ exception, ended }: PlacedViolation): string {
  if (exception !== undefined) return visible(formatException(exception));
  return ended === undefined ? '' : visible(`${formatException(ended)} (ended)`);
}

/** Shows findings, with the number of each label in a sentence for screen readers. */
export function showFindings(
  findings: readonly Finding[],
  { summary }: ShownReport,
  goTo: (finding: Finding) => void,
): void {
  const isNote = ({ severity }: Finding): boolean => severity === 'info';
  const main = findings.filter((finding) => !isNote(finding));
  const notes = findings.filter(isNote);
  find('status', HTMLElement).textContent = statusText(findings, summary.workloads);
  fill(find('findings', HTMLElement), main, goTo);
  const details = find('notes', HTMLDetailsElement);
  details.hidden = notes.length === 0;
  const [head, list] = details.children;
  if (head !== undefined) head.textContent = `${count(notes.length, 'note')}: audited or excepted, not shown to users`;
  if (list !== undefined) fill(list, notes, goTo);
}

function statusText(findings: readonly Finding[], workloads: number): string {
  const counted = (label: Finding['label'], words: string): string[] => {
    const found = findings.filter((finding) => finding.label === label).length;
    return found === 0 ? [] : [`${found} ${words}`];
  };
  const parts = [...counted('Problem', 'not readable'), ...counted('Denied', 'denied'), ...counted('Warned', 'warned')];
  const subject = count(workloads, 'workload');
  if (parts.length > 0) return `${subject}: ${parts.join(', ')}.`;
  return workloads === 0 ? 'There is no workload in the manifests.' : `${subject}: nothing to report.`;
}

function fill(list: Element, findings: readonly Finding[], goTo: (finding: Finding) => void): void {
  const items = findings.slice(0, MOST_SHOWN).map((finding) => itemOf(finding, goTo));
  if (findings.length > MOST_SHOWN)
    items.push(element('li', `${findings.length - MOST_SHOWN} more are not shown here.`));
  list.replaceChildren(...items);
}

function itemOf(finding: Finding, goTo: (finding: Finding) => void): HTMLElement {
  const { label, file, line, where, problem, remedy, check, exception } = finding;
  const item = element('li', '', CLASSES[label]);
  const head = element('div', '', 'head');
  const place = element('button', `${file}, line ${line}`);
  place.setAttribute('type', 'button');
  place.addEventListener('click', () => goTo(finding));
  head.append(element('i', label), place);
  if (check !== '') {
    const link = element('a', check);
    link.setAttribute('href', checkUrl(check));
    link.setAttribute('rel', 'noreferrer');
    head.append(link);
  }
  item.append(head, element('strong', problem));
  if (remedy !== '') item.append(element('div', remedy));
  if (exception !== '') item.append(element('div', exception));
  if (where !== '') item.append(element('div', where, 'muted'));
  return item;
}
