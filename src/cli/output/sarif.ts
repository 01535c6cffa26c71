import { jsonText } from '../../base/text/json-text.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { formatException, fullMessage } from '../../engine/checks/violation.ts';
import { CHECKS } from '../../engine/checks/catalogue.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { VERSION } from '../../base/version.ts';
import { HOMEPAGE } from '../../engine/checks/lib/check-url.ts';
import { findingCounter } from '../finding-identity.ts';
import { artifactLocation, SOURCE_ROOT } from './sarif-artifacts.ts';
import { fingerprintOf } from './sarif-fingerprint.ts';
import { SarifFixes } from './sarif-fixes.ts';
import { LEVEL, sarifRule } from './sarif-rules.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { ShownReport } from '../shown-report.ts';

/**
 * SARIF 2.1.0, by the rules of GitHub's code scanning: every check is a rule with help, every violation is a result,
 * every input error is a notification of the invocation. Viewers show texts unchanged, so hidden characters are
 * escaped.
 */
export function sarifReport({ violations, problems, texts = [] }: ShownReport): string {
  const ruleIndexes = new Map(CHECKS.map(({ id }, index) => [id, index]));
  const count = findingCounter();
  const fixes = new SarifFixes(texts);
  const driver = {
    name: 'probewright',
    informationUri: HOMEPAGE,
    semanticVersion: VERSION,
    rules: CHECKS.map(sarifRule),
  };
  const run = {
    tool: { driver },
    invocations: [
      { executionSuccessful: problems.length === 0, toolExecutionNotifications: problems.map(notification) },
    ],
    originalUriBaseIds: { [SOURCE_ROOT]: { description: { text: 'The directory in which probewright ran.' } } },
    columnKind: 'utf16CodeUnits',
    results: violations.map((violation) => ({
      ...result(violation, ruleIndexes.get(violation.check), count(violation)),
      ...fixes.of(violation),
    })),
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${jsonText(log, undefined, 2)}\n`;
}

/** @param occurrence the number of the finding among the findings of the same identity, from 1 */
function result(violation: PlacedViolation, ruleIndex: number | undefined, occurrence: number): object {
  const { check, action, kind, namespace, name } = violation;
  const path = formatPath(violation.path);
  return {
    ruleId: check,
    ...(ruleIndex !== undefined && { ruleIndex }),
    level: LEVEL[action],
    message: { text: outputLine(`${path}: ${fullMessage(violation)}`) },
    locations: [
      {
        physicalLocation: physicalLocation(violation),
        logicalLocations: [
          { fullyQualifiedName: visible([kind, ...(namespace === '' ? [] : [namespace]), name, path].join('/')) },
        ],
      },
    ],
    partialFingerprints: fingerprintOf(violation, occurrence),
    ...(violation.properties && { properties: violation.properties }),
    ...suppressionOf(violation),
  };
}

/** GitHub closes an alert with a suppression, and other viewers show its justification. */
function suppressionOf({ exception }: PlacedViolation): object {
  if (exception === undefined) return {};
  const justification = outputLine(formatException(exception));
  return { suppressions: [{ kind: 'external', status: 'accepted', justification }] };
}

function notification(problem: FileProblem): unknown {
  return {
    level: 'error',
    message: { text: outputLine(problem.message) },
    locations: [{ physicalLocation: physicalLocation(problem) }],
  };
}

function physicalLocation({ file, line, column }: Pick<FileProblem, 'file' | 'line' | 'column'>): unknown {
  return { artifactLocation: artifactLocation(file), region: { startLine: line, startColumn: column } };
}
