import { isAbsolute } from 'node:path';
import { CHECKS } from '../../engine/checks/catalogue.ts';
import { HOMEPAGE, checkUrl } from '../../engine/checks/violation.ts';
import { jsonText, outputLine, visible } from '../../base/text/visible.ts';
import { VERSION } from '../../base/version.ts';
import { fingerprints, pathInRepository } from './code-host.ts';
import { formatException, partsOf, type FindingParts } from './finding-parts.ts';
import { STDIN_NAME } from '../input/standard-input.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import { YamlFieldEditor } from '../../yaml/editing/field-editing.ts';
import type { TextEdit } from '../../yaml/editing/text-edits.ts';
import { positionsIn, type Position } from '../../yaml/reading/documents.ts';
import type { PlacedViolation, ShownReport } from './report.ts';
import type { CheckDefinition, CheckParameters } from '../../engine/policy/check-parameters.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ManifestText } from '../input/manifest.ts';

/**
 * SARIF 2.1.0, by the rules of GitHub's code scanning: a check with violations is a rule with help, each is a result,
 * every input error is a notification of the invocation. Viewers show texts unchanged, so hidden characters are
 * escaped.
 */
export function sarifReport(shown: ShownReport): string {
  const { violations, problems } = shown;
  const found = new Set(violations.map(({ check }) => check));
  const rules = CHECKS.filter(({ id }) => found.has(id));
  const ruleIndexes = new Map(rules.map(({ id }, index) => [id, index]));
  const fingerprintOf = fingerprints();
  const fixesOf = fixesIn(shown);
  const driver = {
    name: 'probewright',
    informationUri: HOMEPAGE,
    semanticVersion: VERSION,
    rules: rules.map(sarifRule),
  };
  const run = {
    tool: { driver },
    invocations: [
      { executionSuccessful: problems.length === 0, toolExecutionNotifications: problems.map(notification) },
    ],
    originalUriBaseIds: { [SOURCE_ROOT]: { description: { text: 'The directory in which probewright ran.' } } },
    columnKind: 'utf16CodeUnits',
    results: violations.map((violation) => {
      const parts = partsOf(violation);
      const fingerprint = fingerprintOf(parts.identity);
      return { ...result(violation, parts, ruleIndexes.get(violation.check), fingerprint), ...fixesOf(violation) };
    }),
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${jsonText(log, undefined, 2)}\n`;
}

function result(
  violation: PlacedViolation,
  { path, message }: FindingParts,
  ruleIndex: number | undefined,
  fingerprint: string,
): object {
  const { check, action, kind, namespace, name } = violation;
  return {
    ruleId: check,
    ...(ruleIndex !== undefined && { ruleIndex }),
    level: LEVELS_OF[action].level,
    message: { text: outputLine(`${path}: ${message}`) },
    locations: [
      {
        physicalLocation: physicalLocation(violation),
        logicalLocations: [
          { fullyQualifiedName: visible([kind, ...(namespace === '' ? [] : [namespace]), name, path].join('/')) },
        ],
      },
    ],
    partialFingerprints: { [FINGERPRINT]: fingerprint },
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
  // GitHub shows no result without a line.
  const region = { startLine: Math.max(1, line), startColumn: Math.max(1, column) };
  return { artifactLocation: artifactLocation(file), region };
}

/** Returns a check as a rule of SARIF, with the help that code scanning shows beside an alert. */
function sarifRule({ id, action, summary, parameters }: CheckDefinition): unknown {
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
    defaultConfiguration: { level: action === 'Off' ? 'none' : LEVELS_OF[action].level },
    properties: {
      tags: ['kubernetes', 'probes'],
      'problem.severity': LEVELS_OF[action === 'Off' ? 'Audit' : action].alert,
    },
  };
}

function parameterList(parameters: CheckParameters): string {
  const items = Object.entries(parameters).map(([name, { text }]) => `- \`${name}\`: ${text}\n`);
  return items.length === 0 ? '' : `Parameters in a policy:\n\n${items.join('')}\n`;
}

/**
 * The version changes whenever the parts of the identity change. The name is our own: GitHub's upload action computes
 * `primaryLocationLineHash` from the file, and warns of each value that differs (src/fingerprints.ts in
 * github/codeql-action).
 */
const FINGERPRINT = 'probewrightFinding/v1';

const LONGEST_TEXT = 256 * 1024;
/** Most characters that are read again to verify fixes: 64 fixes of the longest text, about 5 s. */
const MOST_CHARACTERS = 64 * LONGEST_TEXT;

/**
 * Turns advice into `fixes` of SARIF: replacements of exact regions. A violation gets no fix when its advice cannot be
 * written into the text alone, when the text is no file, and when verification would take too long.
 */
function fixesIn({ texts = [], violations }: ShownReport): (violation: PlacedViolation) => object {
  const files = new Set(violations.filter(({ edits }) => edits !== undefined).map(({ file }) => file));
  const byFile = Map.groupBy(
    texts.filter(({ file }) => files.has(file)),
    ({ file }) => file,
  );
  const edited = new Map(Array.from(byFile, ([file, own]) => [file, editedText(own)]));
  let charactersLeft = MOST_CHARACTERS;
  return ({ file, remedy, edits, object, isRendered = false }) => {
    const source = isRendered ? undefined : edited.get(file);
    if (edits === undefined || object === undefined || source === undefined) return {};
    if (source.text.length > charactersLeft) return {};
    charactersLeft -= source.text.length;
    const placed = edits.map(({ path, value }) => ({ path: [...object.path, ...path], value }));
    const plan = source.editor.verifiedPlan(object.document, placed);
    if (plan.kind === 'refused' || plan.replacements.length === 0) return {};
    const replacements = plan.replacements.map((replacement) => sarifReplacement(replacement, source.positionAt));
    const description = remedy === undefined ? {} : { description: { text: visible(remedy) } };
    return {
      fixes: [{ ...description, artifactChanges: [{ artifactLocation: artifactLocation(file), replacements }] }],
    };
  };
}

/** Undefined for texts of one name that differ, that are no file, or that are too long. */
function editedText(texts: readonly ManifestText[]) {
  const [{ text, file } = { text: '', file: STDIN_NAME }] = texts;
  const isOneFile = texts.every((each) => each.text === text && each.placeOf === undefined) && file !== STDIN_NAME;
  if (!isOneFile || text.length > LONGEST_TEXT) return undefined;
  return { text, editor: new YamlFieldEditor(text), positionAt: positionsIn(text) };
}

function sarifReplacement({ start, end, text }: TextEdit, positionAt: (offset: number) => Position): unknown {
  const [from, to] = [positionAt(start), positionAt(end)];
  return {
    deletedRegion: { startLine: from.line, startColumn: from.column, endLine: to.line, endColumn: to.column },
    ...(text !== '' && { insertedContent: { text } }),
  };
}

/** The name of the working directory in SARIF. GitHub takes relative URIs as relative to the repository's root. */
const SOURCE_ROOT = '%SRCROOT%';

/**
 * Returns where SARIF finds a file. A file below the working directory gets a URI relative to that directory, also when
 * the command line names the file by an absolute path.
 */
function artifactLocation(file: string): { readonly uri: string; readonly uriBaseId?: string } {
  const path = pathInRepository(file);
  const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return isAbsolute(path) ? { uri: `file://${encoded}` } : { uri: encoded, uriBaseId: SOURCE_ROOT };
}
