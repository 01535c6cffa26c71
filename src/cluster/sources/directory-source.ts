import { readUpTo, utf8Text } from '../../base/files/regular-file.ts';
import { findYamlFiles, filesVersion, type FoundFile } from '../../base/files/yaml-files.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { yamlFileParts } from '../../yaml/reading/documents.ts';
import { ReadingBudget } from '../../yaml/reading/tokens.ts';
import { PolicyCollection, formatFileProblem, type FileProblem, type PolicyDocuments } from './policy-documents.ts';
import { PolicyFilesError } from './policy-source.ts';
import { repeat } from '../client/timing.ts';
import { setImmediate } from 'node:timers/promises';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';

/**
 * How often the directory is listed. A change counts when two reads in a row see it, so that a half-written file does
 * not count. Each poll wakes up the process, so polls are rare at rest.
 */
const POLL_MILLISECONDS = { atRest: 1000, changing: 400 };

/**
 * Polls: many mounted volumes lose file events, and a mounted ConfigMap changes by swapping a link. While any file
 * has a problem, the whole last good set stays in force.
 */
export class DirectorySource implements PolicySource {
  readonly #directory: string;
  readonly #now: () => number;
  readonly #pollMilliseconds: typeof POLL_MILLISECONDS;
  readonly #stopped = new AbortController();
  /** The version of the files in force. Undefined after an error: then the next readable state counts as a change. */
  #loadedVersion: string | undefined;
  #seenVersion = '';
  #problems: readonly string[] = [];
  #lastSync: number | undefined;

  constructor(directory: string, now: () => number, pollMilliseconds = POLL_MILLISECONDS) {
    this.#directory = directory;
    this.#now = now;
    this.#pollMilliseconds = pollMilliseconds;
  }

  async start(listener: SourceListener): Promise<PolicySnapshot> {
    const unreadable = (error: unknown): never => {
      throw new PolicyFilesError(`the policy directory cannot be read: ${String(error)}`);
    };
    const files = await findYamlFiles(this.#directory).catch(unreadable);
    const documents = await this.#read(files).catch(unreadable);
    if (documents.problems.length > 0)
      throw new PolicyFilesError(`${documents.problems.length} problem(s) in the policies`, documents.problems);
    this.#loadedVersion = this.#seenVersion = filesVersion(files);
    this.#lastSync = this.#now();
    this.#warn(documents, listener);
    const { atRest, changing } = this.#pollMilliseconds;
    const wait = (): number => (this.#seenVersion === this.#loadedVersion ? atRest : changing);
    void repeat(wait, this.#stopped.signal, () => this.#poll(listener));
    return documents;
  }

  stop(): void {
    this.#stopped.abort();
  }

  status(): SourceStatus {
    return { description: `directory ${this.#directory}`, problems: this.#problems, lastSync: this.#lastSync };
  }

  #read(files: readonly FoundFile[]): Promise<PolicyDocuments> {
    const paths = files.map(({ path }) => path);
    return readPolicyFiles(paths, POLICY_FILE_LIMITS, () => this.#stopped.signal.aborted);
  }

  async #poll(listener: SourceListener): Promise<void> {
    try {
      const files = await findYamlFiles(this.#directory);
      const version = filesVersion(files);
      const isSettled = version === this.#seenVersion;
      this.#seenVersion = version;
      if (version === this.#loadedVersion && this.#problems.length === 0) this.#lastSync = this.#now();
      if (!isSettled || version === this.#loadedVersion) return;
      const documents = await this.#read(files);
      // Files may have changed or gone while they were read. Then what was read is no state of the directory.
      this.#seenVersion = filesVersion(await findYamlFiles(this.#directory));
      if (this.#seenVersion !== version) return;
      this.#loadedVersion = version;
      if (documents.problems.length > 0) return this.#fail(documents.problems, listener);
      if (this.#stopped.signal.aborted) return;
      this.#problems = [];
      this.#lastSync = this.#now();
      listener.changed(documents);
      this.#warn(documents, listener);
    } catch (error) {
      this.#loadedVersion = undefined;
      const message = `cannot be read: ${String(error)}`;
      this.#fail([{ file: this.#directory, line: 1, column: 1, message }], listener);
    }
  }

  #warn({ warnings }: PolicyDocuments, listener: SourceListener): void {
    if (warnings.length > 0) listener.warned?.(warnings.map(formatFileProblem));
  }

  /** Reports problems once, not at every poll. */
  #fail(problems: readonly FileProblem[], listener: SourceListener): void {
    const lines = problems.map(formatFileProblem);
    const isNews = lines.join('\n') !== this.#problems.join('\n');
    this.#problems = lines;
    if (isNews && !this.#stopped.signal.aborted) listener.failed(lines);
  }
}

/**
 * For a server, which reads them while it answers requests. A policy of 30 lines has about 260 tokens. The chart's
 * heap of 192 MiB has room for the largest document, the policies in force and 100 MiB of reviews.
 */
export const POLICY_FILE_LIMITS = {
  fileMebibytes: 3,
  mebibytes: 8,
  tokens: { document: 300_000, all: 4_000_000 },
  problems: 100,
};

/** After so many `problems`, no further file is read. */
export type PolicyFileLimits = typeof POLICY_FILE_LIMITS;

/** How much is read before other work gets a turn: about 50 ms. A busy server has few turns. */
const TOKENS_OF_TURN = 20_000;

const MEBIBYTE = 1024 * 1024;

/** Other work gets a turn between documents. Once `isStopped`, nobody waits for the result any more. */
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
    bytesLeft -= bytes?.length ?? 0;
    let text = '';
    try {
      if (bytes === undefined) report(`the file has more than ${limits.fileMebibytes} MiB`);
      else text = utf8Text(bytes);
    } catch (error) {
      report(messageOf(error));
    }
    let turnEnds = 0;
    for (const part of yamlFileParts(file, text, { budget })) {
      collected.addPart(part);
      if (budget.isSpent || collected.isFull(file) || isStopped()) break;
      if (budget.spent < turnEnds) continue;
      await othersHadTheirTurn();
      turnEnds = budget.spent + TOKENS_OF_TURN;
    }
    if (budget.isSpent || isStopped()) break;
  }
  return collected;
}
