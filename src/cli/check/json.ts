import { formatPath } from '../../base/json/field-path.ts';
import { without } from '../../base/json/json-value.ts';
import { jsonText } from '../../base/text/visible.ts';
import { partsOf } from './finding-parts.ts';
import type { PlacedViolation, ShownReport } from './report.ts';
import type { CheckOutput, ListedViolation } from '../output/json-outputs.ts';

/**
 * One object for programs, with the values of the manifests unchanged. `path` is the field, `message` the problem
 * without the field, `remedy` what to write. `advice` has the remedy as edits; a null value removes a field. `problems`
 * lists what could not be read.
 */
export function jsonReport(shown: ShownReport): string {
  const { violations, problems, lacking = [], exempt = [], project, summary } = shown;
  const output: CheckOutput = {
    violations: violations.map((of) => listedViolation(of, { file: of.file, line: of.line, column: of.column })),
    problems: problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
    ...(lacking.length > 0 && { lacking }),
    ...(exempt.length > 0 && { exempt }),
    ...(project && { project }),
    summary,
  };
  return `${jsonText(output, undefined, 2)}\n`;
}

/**
 * A violation for programs.
 *
 * @param place the place in a file, if there is one. It comes right behind the path, so that a person finds both
 */
export function listedViolation<Place extends object>(
  violation: PlacedViolation,
  place: Place,
): ListedViolation & Place {
  const { check, action, message, remedy, edits, kind, namespace, name, container, probe } = violation;
  const { properties, workloads, exception, ended } = violation;
  const { path, url } = partsOf(violation);
  return {
    check,
    action,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(edits !== undefined && { advice: edits.map((edit) => ({ ...edit, path: formatPath(edit.path) })) }),
    path,
    ...place,
    kind,
    namespace,
    name,
    container,
    ...(probe !== undefined && { probe }),
    ...(properties !== undefined && { properties }),
    ...(workloads !== undefined && { workloads }),
    ...(exception !== undefined && { exception: without(exception, 'isEnding') }),
    ...(ended !== undefined && { endedException: without(ended, 'isEnding') }),
    url,
  };
}
