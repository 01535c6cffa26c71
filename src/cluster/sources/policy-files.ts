import { setImmediate } from 'node:timers/promises';
import { readUpTo, utf8Text } from '../../base/files/regular-file.ts';
import { PolicyCollection, type PolicyDocuments, type PolicyText } from './policy-documents.ts';
import { ReadingBudget, type TokenLimits } from '../../yaml/reading/reading-budget.ts';
import { yamlFileParts } from '../../yaml/reading/documents.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';

/** How much is read of policy files. */
export interface PolicyFileLimits {
  /** Of one file. */
  readonly fileMebibytes: number;
  /** Of all files together. */
  readonly mebibytes: number;
  readonly tokens: TokenLimits;
  /** After so many problems, no further file is read. */
  readonly problems: number;
}

/**
 * The limits of policy files for a server, which reads them while it answers requests. A policy of 30 lines has about
 * 260 tokens, so one List may have a thousand policies as items. There may be more documents, because they are read one
 * after the other. The chart's heap of 192 MiB has room for the largest document, the policies in force and 100 MiB of
 * reviews.
 */
export const POLICY_FILE_LIMITS: PolicyFileLimits = {
  fileMebibytes: 3,
  mebibytes: 8,
  tokens: { document: 300_000, all: 4_000_000 },
  problems: 100,
};

/**
 * How much is read before other work gets a turn: about 50 ms. With less, files with ten thousand documents would take
 * too long on a busy server, where each turn comes late.
 */
const TOKENS_OF_TURN = 20_000;

const MEBIBYTE = 1024 * 1024;

/**
 * Reads policy files within limits. Other work gets a turn between documents, because all files together may take many
 * seconds. There is memory for one document at a time.
 *
 * @param isStopped true when nobody waits for the result any more; the result then holds what was read so far
 * @param othersHadTheirTurn resolves after other pending work
 */
export async function readPolicyFiles(
  catalogue: CheckCatalogue,
  files: readonly string[],
  limits: PolicyFileLimits,
  isStopped: () => boolean = () => false,
  othersHadTheirTurn: () => Promise<unknown> = setImmediate,
): Promise<PolicyDocuments> {
  const collected = new PolicyCollection(catalogue);
  const budget = new ReadingBudget(limits.tokens);
  let bytesLeft = limits.mebibytes * MEBIBYTE;
  for (const file of files) {
    const report = (message: string): void => collected.addProblem({ file, line: 1, column: 1, message });
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
    report(messageOf(error));
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
  // Other work also gets a turn before the first document.
  await othersHadTheirTurn();
  let turnEnds = budget.spent + TOKENS_OF_TURN;
  for (const part of yamlFileParts(file, text, { budget })) {
    collected.addPart(part);
    if (budget.isSpent || collected.isFull(file) || isStopped()) return;
    if (budget.spent < turnEnds) continue;
    await othersHadTheirTurn();
    turnEnds = budget.spent + TOKENS_OF_TURN;
  }
}
