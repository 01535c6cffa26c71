import { readFileSync } from 'node:fs';
import type { OpenPage } from './open-page.ts';

let axe: string | undefined;

interface AxeResults {
  readonly violations: readonly AxeResult[];
  /** What axe cannot decide by itself. */
  readonly incomplete: readonly AxeResult[];
}

interface AxeResult {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * What axe-core finds in a page, by all its rules, also those of good practice. One line for each element.
 *
 * @param undecided rules of which axe may leave elements to a person
 */
export async function accessibilityFindings(
  { page, evaluate }: OpenPage,
  undecided: readonly string[] = [],
): Promise<string[]> {
  // axe needs timers. The page's own scripts do not run any more: the page is loaded.
  await page.setJavaScriptEnabled(true);
  axe ??= readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
  await evaluate(`${axe}; undefined`);
  const { violations, incomplete } = (await evaluate(
    "axe.run(document, { resultTypes: ['violations', 'incomplete'] })",
  )) as AxeResults;
  return [...violations, ...incomplete.filter(({ id }) => !undecided.includes(id))].flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html.slice(0, 200)}\n${failureSummary}`),
  );
}
