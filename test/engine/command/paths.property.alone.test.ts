import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pathsOf, type Paths, type ProgramRun } from '../../../src/engine/command/paths.ts';
import { runs } from '../../support/runs.ts';
import { observe, scripts, type Observed } from './shell-oracle.ts';

const SUCCEEDING = new Set('true : echo cat head sleep say'.split(' '));

/** What the functions of the oracle do. Each question has a name of its own. */
function read(argv: readonly string[]): ProgramRun {
  const [program = '', ...words] = argv;
  const label = words.find((word) => /^q\d+$/.test(word));
  if (program === 'sh')
    return {
      status: 'free',
      labels: [],
      script: { text: words[1] ?? '', isErrexit: false, isPipefail: false },
    };
  const status = SUCCEEDING.has(program) ? 'succeeds' : program === 'false' ? 'fails' : 'free';
  return { status, labels: label === undefined ? [] : [label] };
}

/** How an answer contradicts the shell. Empty for a right or an unknown one. */
function contradictions(paths: Paths, seen: Observed): string[] {
  const claim = (name: string, said: string, isSeen: boolean): string[] =>
    (said === 'no' && isSeen) || (said === 'yes' && !isSeen && seen.isComplete) ? [`${name}: ${said}`] : [];
  return [
    ...claim('can succeed', paths.canSucceed, seen.canSucceed),
    ...claim('can fail', paths.canFail, seen.canFail),
    ...[...paths.always].filter((site) => !seen.always.has(site)).map((site) => `${site} runs always`),
    ...[...paths.alwaysBeforeSuccess]
      .filter((site) => seen.canSucceed && !seen.alwaysBeforeSuccess.has(site))
      .map((site) => `${site} runs before each success`),
    ...[...seen.asked].filter((site) => !paths.started.has(site)).map((site) => `${site} never runs`),
  ];
}

/** The same scripts in each run, so that a share of them is no matter of luck. Another seed shows other scripts. */
const SEED = Number(process.env['ORACLE_SEED'] ?? 2711);

it('a real shell agrees with what is said of random scripts, for all answers of their questions', () => {
  const texts = fc.sample(scripts, { numRuns: runs(1000), seed: SEED });
  const seen = observe(texts);
  const wrong: object[] = [];
  let unknown = 0;
  for (const [at, text] of texts.entries()) {
    const paths = pathsOf({ text, isErrexit: false, isPipefail: false }, read);
    const observed = seen[at];
    const found = observed === undefined ? ['not run'] : contradictions(paths, observed);
    if (found.length > 0) wrong.push({ text, found, observed, paths });
    const isUnknown = paths.canFail === 'unknown' || paths.canSucceed === 'unknown';
    if (isUnknown) unknown += 1;
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(unknown / texts.length).toBeLessThanOrEqual(0.02);
});
