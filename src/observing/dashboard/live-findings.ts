import type { LiveFinding } from '../../report/report.ts';
import type { ReportResult } from '../reports/report-result.ts';

/** Properties of results that a page shows after the message. */
const SHOWN = ['fix', 'since', 'pods', 'missed', 'predates', 'outdated'];
/** The property with a command to run. */
const COMMAND = 'command';

/** Results that no check makes, as a page shows them. */
export function liveFindings(results: readonly Pick<ReportResult, 'rule' | 'message' | 'properties'>[]): LiveFinding[] {
  return results.map(({ rule, message, properties }) => {
    const details = SHOWN.flatMap((name) => {
      const value = properties[name];
      return value === undefined ? [] : [name === 'fix' ? value : `${name}: ${value}`];
    });
    const command = properties[COMMAND];
    return {
      name: rule,
      message: [message, ...details].join('; '),
      pods: Number(properties['pods'] ?? 0) || 0,
      ...(command !== undefined && { command }),
    };
  });
}
