import { PolicyFilesError } from './policy-source.ts';
import { findYamlFiles, versionOf } from './yaml-files.ts';
import { formatFileProblem, sourceProblem } from './policy-documents.ts';
import { POLICY_FILE_LIMITS, readPolicyFiles } from './policy-files.ts';
import type { PolicyDocuments, FileProblem } from './policy-documents.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';

/**
 * How often the directory is looked at. A change counts when two looks in a row agree on it, so that a file that is being written
 * is not read half: an edit is live within two periods and a little.
 */
const POLL_MILLISECONDS = 400;

/**
 * Policies from the YAML files below a directory, kept up to date by polling: file events are lost on many mounted volumes, and a
 * mounted ConfigMap changes by swapping a link. While any file is bad the last good set stays in force as a whole.
 */
export class DirectorySource implements PolicySource {
  readonly #directory: string;
  readonly #now: () => number;
  readonly #pollMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #loadedVersion = '';
  #seenVersion = '';
  #problems: readonly string[] = [];
  #lastSync: number | undefined;

  /** @param now the wall clock, in milliseconds since the epoch */
  constructor(directory: string, now: () => number, pollMilliseconds = POLL_MILLISECONDS) {
    this.#directory = directory;
    this.#now = now;
    this.#pollMilliseconds = pollMilliseconds;
  }

  async start(listener: SourceListener): Promise<PolicySnapshot> {
    const documents = await this.#load().catch((error: unknown) => {
      throw new PolicyFilesError(`the policy directory cannot be read: ${String(error)}`);
    });
    if (documents.problems.length > 0) {
      throw new PolicyFilesError(`${documents.problems.length} problem(s) in the policies`, documents.problems);
    }
    this.#lastSync = this.#now();
    this.#schedule(listener);
    return documents;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  status(): SourceStatus {
    return { description: `directory ${this.#directory}`, problems: this.#problems, lastSync: this.#lastSync };
  }

  async #load(): Promise<PolicyDocuments> {
    const files = await findYamlFiles(this.#directory);
    const paths = files.map(({ path }) => path);
    const documents = await readPolicyFiles(paths, POLICY_FILE_LIMITS, () => this.#stopped);
    this.#loadedVersion = this.#seenVersion = versionOf(files);
    return documents;
  }

  #schedule(listener: SourceListener): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      void this.#poll(listener).finally(() => {
        this.#schedule(listener);
      });
    }, this.#pollMilliseconds);
  }

  async #poll(listener: SourceListener): Promise<void> {
    try {
      const version = versionOf(await findYamlFiles(this.#directory));
      const settled = version === this.#seenVersion;
      this.#seenVersion = version;
      if (!settled || version === this.#loadedVersion) {
        if (version === this.#loadedVersion)
          this.#lastSync = this.#problems.length === 0 ? this.#now() : this.#lastSync;
        return;
      }
      this.#apply(await this.#load(), listener);
    } catch (error) {
      this.#loadedVersion = ''; // whatever comes back is news
      this.#fail(
        [{ file: this.#directory, line: 1, column: 1, message: `cannot be read: ${String(error)}` }],
        listener,
      );
    }
  }

  #apply(documents: PolicyDocuments, listener: SourceListener): void {
    if (this.#stopped) return;
    if (documents.problems.length > 0) {
      this.#fail(documents.problems, listener);
      return;
    }
    this.#problems = [];
    this.#lastSync = this.#now();
    listener.changed(documents);
  }

  /** Tells of problems once, not at every look. */
  #fail(problems: readonly FileProblem[], listener: SourceListener): void {
    const lines = problems.map(formatFileProblem);
    const isNews = lines.join('\n') !== this.#problems.join('\n');
    this.#problems = lines;
    if (isNews && !this.#stopped) listener.failed(problems.map(sourceProblem));
  }
}
