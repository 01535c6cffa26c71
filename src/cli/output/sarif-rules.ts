import { checkUrl } from '../../engine/checks/lib/check-url.ts';
import type { CheckDefinition } from '../../engine/policy/check-catalogue.ts';
import type { CheckParameters } from '../../engine/policy/check-parameters.ts';

/** The level of SARIF for an action. */
export const LEVEL = { Deny: 'error', Warn: 'warning', Audit: 'note', Excepted: 'note', Off: 'none' } as const;

/** Returns a check as a rule of SARIF, with the help that code scanning shows beside an alert. */
export function sarifRule({ id, action, summary, parameters }: CheckDefinition): unknown {
  const url = checkUrl(id);
  const defaultAction = `The default action is ${action}.`;
  return {
    id,
    shortDescription: { text: summary },
    fullDescription: { text: `${summary} ${defaultAction}` },
    helpUri: url,
    help: {
      text: `${summary} ${defaultAction} See ${url} for an example, the effect at run time, and what to write.`,
      markdown:
        `${summary} ${defaultAction}\n\n${parameterList(parameters)}` +
        `[${id}](${url}) has an example, the effect at run time, and what to write.\n`,
    },
    defaultConfiguration: { level: LEVEL[action] },
    properties: { tags: ['kubernetes', 'probes'], 'problem.severity': SEVERITY[action] },
  };
}

/** The severities that GitHub filters alerts by. */
const SEVERITY = { Deny: 'error', Warn: 'warning', Audit: 'recommendation', Off: 'recommendation' } as const;

function parameterList(parameters: CheckParameters): string {
  const items = Object.entries(parameters).map(([name, { text }]) => `- \`${name}\`: ${text}\n`);
  return items.length === 0 ? '' : `Parameters in a policy:\n\n${items.join('')}\n`;
}
