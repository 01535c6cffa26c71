import { jsonText } from '../../text/json-text.ts';
import { outputLine, visible } from '../../text/visible.ts';
import { fullMessage } from '../../checks/violation.ts';
import { CHECKS } from '../../checks/catalogue.ts';
import { formatPath } from '../../json/field-path.ts';
import { VERSION } from '../../version.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { ShownReport } from '../shown-report.ts';

const LEVEL = { Deny: 'error', Warn: 'warning', Audit: 'note', Off: 'none' } as const;

/**
 * SARIF 2.1.0, for code scanning: every check is a rule with help, every violation is a result. Viewers show texts
 * unchanged, so hidden characters are escaped.
 */
export function sarifReport({ violations }: ShownReport): string {
  const ids = CHECKS.map(({ id }) => id);
  const rules = CHECKS.map(({ id, action, summary }) => ({
    id,
    shortDescription: { text: summary },
    help: { text: `${summary} The section ${id} of docs/checks.md tells what happens at run time, and what to write.` },
    defaultConfiguration: { level: LEVEL[action] },
  }));
  const driver = { name: 'probewright', semanticVersion: VERSION, rules };
  const results = violations.map((violation) => result(violation, ids.indexOf(violation.check)));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return `${jsonText(log, undefined, 2)}\n`;
}

function result(violation: PlacedViolation, ruleIndex: number): unknown {
  const { check, action, file, line, column, kind, namespace, name } = violation;
  const path = formatPath(violation.path);
  return {
    ruleId: check,
    ruleIndex,
    level: LEVEL[action],
    message: { text: outputLine(`${path}: ${fullMessage(violation)}`) },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uri(file) }, region: { startLine: line, startColumn: column } },
        logicalLocations: [{ fullyQualifiedName: visible(`${kind}/${namespace}/${name}/${path}`) }],
      },
    ],
  };
}

/** A relative or absolute path as a URI reference. Two slashes at the beginning would name a host. */
function uri(file: string): string {
  return file.toWellFormed().replace(/^\/+/, '/').split('/').map(encodeURIComponent).join('/');
}
