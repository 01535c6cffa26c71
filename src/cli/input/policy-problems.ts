import { POLICY_API_GROUP } from './policies-among.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/**
 * The problems in documents that may be policies. A document with a syntax error has no object that could be asked for
 * its kind, so the text of the document decides. Each line is read once, because a text can have a problem in every
 * line.
 */
export function policyProblemsIn(text: string, problems: readonly FileProblem[]): readonly FileProblem[] {
  if (problems.length === 0) return [];
  /** The first and the last document of each line. A line between two documents counts for both. */
  const documentsOf: (readonly [number, number])[] = [];
  const mayBePolicy: boolean[] = [false];
  for (const line of text.split('\n')) {
    const before = mayBePolicy.length - 1;
    if (line.startsWith('---')) mayBePolicy.push(false);
    const last = mayBePolicy.length - 1;
    if (line.includes(`${POLICY_API_GROUP}v`)) mayBePolicy[last] = true;
    documentsOf.push([before, last]);
  }
  return problems.filter(({ line }) => documentsOf[line - 1]?.some((document) => mayBePolicy[document]));
}
