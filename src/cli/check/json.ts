import { checkUrl, type AppliedException } from '../../engine/checks/violation.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { jsonText } from '../../base/text/visible.ts';
import type { CheckOutput, ListedException, ListedViolation } from '../output/json-outputs.ts';
import type { PlacedViolation, ShownReport } from './report.ts';

/**
 * One object for programs, with the values of the manifests unchanged. `path` is the field, `message` the problem
 * without the field, `remedy` what to write. `advice` has the remedy as edits; a null value removes a field. `problems`
 * lists what could not be read.
 */
export function jsonReport({ violations, problems, summary }: ShownReport): string {
  const report: CheckOutput = {
    violations: violations.map((of) => listed(of, { file: of.file, line: of.line, column: of.column })),
    problems: problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
    summary,
  };
  return `${jsonText(report, undefined, 2)}\n`;
}

/** A violation without its place in a file. */
export function listedViolation(violation: PlacedViolation): ListedViolation {
  return listed(violation, {});
}

function listedException({ name, owner, reason, ticket, expires }: AppliedException): ListedException {
  return { name, owner, reason, ...(ticket !== undefined && { ticket }), expires };
}

/** The place comes right behind the path, so that a person finds both together. */
function listed<Place extends object>(
  { check, action, message, remedy, edits, path, ...violation }: PlacedViolation,
  place: Place,
): ListedViolation & Place {
  const { kind, namespace, name, container, probe, properties, workloads, exception, ended } = violation;
  return {
    check,
    action,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(edits !== undefined && { advice: edits.map((edit) => ({ ...edit, path: formatPath(edit.path) })) }),
    path: formatPath(path),
    ...place,
    kind,
    namespace,
    name,
    container,
    ...(probe !== undefined && { probe }),
    ...(properties !== undefined && { properties }),
    ...(workloads !== undefined && { workloads }),
    ...(exception !== undefined && { exception: listedException(exception) }),
    ...(ended !== undefined && { endedException: listedException(ended) }),
    url: checkUrl(check),
  };
}
