import { count } from '../../base/text/count.ts';
import type { ExceptionView } from './page-view.ts';
import type { Report, ReportedException } from './report.ts';

const DAY = 86_400_000;
/** In this many days before its end, an exception is shown as expiring. */
const EXPIRING_DAYS = 14;

/** The exceptions as rows, those that expire first on top. */
export function exceptionViews({ exceptions, now }: Report): ExceptionView[] {
  return exceptions
    .toSorted((a, b) => a.expires - b.expires || (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1))
    .map((exception) => ({ ...exceptionView(exception), ...stateOf(exception, now) }));
}

function exceptionView({
  namespace,
  name,
  checks,
  workloads,
  owner,
  reason,
  ticket,
  expires,
}: ReportedException): Omit<ExceptionView, 'state' | 'tone'> {
  const instant = new Date(expires).toISOString();
  return {
    name: `${namespace}/${name}`,
    checks: checks.join(', '),
    workloads,
    owner: ticket === undefined ? owner : `${owner} (${ticket})`,
    reason,
    instant,
    day: instant.slice(0, 10),
  };
}

function stateOf({ expires }: ReportedException, now: number): Pick<ExceptionView, 'state' | 'tone'> {
  if (expires <= now) return { state: 'Expired', tone: 'deny' };
  const days = Math.floor((expires - now) / DAY);
  const state = days === 0 ? 'Expires within a day' : `Expires in ${count(days, 'day')}`;
  return { state, tone: days < EXPIRING_DAYS ? 'warn' : 'excepted' };
}
