import { setImmediate } from 'node:timers/promises';
import { readUpTo } from '../files/regular-file.ts';
import { PolicyCollection } from './policy-documents.ts';
import { ReadingBudget } from './reading-budget.ts';
import { utf8Text } from './utf8.ts';
import { yamlFileParts } from './yaml-documents.ts';
import type { PolicyDocuments, PolicyText } from './policy-documents.ts';
import type { TokenLimits } from './reading-budget.ts';

/** How much is read of policy files. */
export interface PolicyFileLimits {
  /** Of one file. */
  readonly fileMebibytes: number;
  /** Of all files together. */
  readonly mebibytes: number;
  readonly tokens: TokenLimits;
  /** With so many problems no further file is read. */
  readonly problems: number;
}

/**
 * What a server reads while it answers requests. A policy of 30 lines has about 260 tokens, so that a thousand may be items of one List;
 * documents may be more, as they are read one after the other. The heap of the chart, 192 MiB, has room for the largest document beside
 * the policies in force and 100 MiB of reviews.
 */
export const POLICY_FILE_LIMITS: PolicyFileLimits = {
  fileMebibytes: 3,
  mebibytes: 8,
  tokens: { document: 300_000, all: 4_000_000 },
  problems: 100,
};

/**
 * How much is read before others have their turn: some 50 ms of work. Not less, as on a busy server it may be long until it is ours again,
 * and a file may have ten thousand documents.
 */
const TOKENS_OF_TURN = 20_000;

const MEBIBYTE = 1024 * 1024;

/**
 * Reads policy files within limits. Others have their turn between documents, as all files together may take many seconds, and there is
 * memory for one document at a time.
 *
 * @param isStopped whether nobody waits for the result any more; then it has what was read so far
 * @param othersHadTheirTurn resolves when what else there was to do is done
 */
export async function readPolicyFiles(
  files: readonly string[],
  limits: PolicyFileLimits,
  isStopped: () => boolean = () => false,
  othersHadTheirTurn: () => Promise<unknown> = setImmediate,
): Promise<PolicyDocuments> {
  const collected = new PolicyCollection();
  const budget = new ReadingBudget(limits.tokens);
  let bytesLeft = limits.mebibytes * MEBIBYTE;
  for (const file of files) {
    const report = (message: string): void => {
      collected.addProblem({ file, line: 1, column: 1, message });
    };
    if (collected.problems.length >= limits.problems) {
      report('this file and those after it were not read: there are problems enough already');
      break;
    }
    const most = Math.min(limits.fileMebibytes * MEBIBYTE, bytesLeft);
    const bytes = await readUpTo(file, most);
    if (bytes === undefined && most === bytesLeft) {
      report(`up to here, the files have more than ${limits.mebibytes} MiB together`);
      break;
    }
    if (bytes === undefined) report(`the file has more than ${limits.fileMebibytes} MiB`);
    else {
      bytesLeft -= bytes.length;
      const text = textOf(bytes, report);
      if (text !== undefined) await addFile(collected, { file, text }, budget, isStopped, othersHadTheirTurn);
    }
    if (budget.isSpent || isStopped()) break;
  }
  return collected;
}

function textOf(bytes: Buffer, report: (message: string) => void): string | undefined {
  try {
    return utf8Text(bytes);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

async function addFile(
  collected: PolicyCollection,
  { file, text }: PolicyText,
  budget: ReadingBudget,
  isStopped: () => boolean,
  othersHadTheirTurn: () => Promise<unknown>,
): Promise<void> {
  // The first turn is before the first document, or that would come right before the second.
  await othersHadTheirTurn();
  let turnEnds = budget.spent + TOKENS_OF_TURN;
  for (const part of yamlFileParts(file, text, budget)) {
    collected.addPart(part);
    if (budget.isSpent || collected.isFull(file) || isStopped()) return;
    if (budget.spent < turnEnds) continue;
    await othersHadTheirTurn();
    turnEnds = budget.spent + TOKENS_OF_TURN;
  }
}
