import { PolicyFilesError } from './policy-source.ts';
import { findYamlFiles, versionOf, type FoundFile } from '../../base/files/yaml-files.ts';
import { formatFileProblem, sourceProblem, type PolicyDocuments, type FileProblem } from './policy-documents.ts';
import { POLICY_FILE_LIMITS, readPolicyFiles } from './policy-files.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';

/**
 * How often the directory is read. A change counts when two reads in a row see the same state, so that a half-written
 * file does not count. An edit is in force after two to three periods.
 */
const POLL_MILLISECONDS = 400;

/**
 * Policies from the YAML files below a directory, kept up to date by polling: many mounted volumes lose file events,
 * and a mounted ConfigMap changes by swapping a link. While any file has a problem, the whole last good set stays in
 * force.
 */
export class DirectorySource implements PolicySource {
  readonly #directory: string;
  readonly #catalogue: CheckCatalogue;
  readonly #now: () => number;
  readonly #pollMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The version of the files in force. Undefined after an error: then the next readable state counts as a change. */
  #loadedVersion: string | undefined;
  #seenVersion = '';
  #problems: readonly string[] = [];
  #lastSync: number | undefined;

  /** @param now the wall clock, in milliseconds since the epoch */
  constructor(catalogue: CheckCatalogue, directory: string, now: () => number, pollMilliseconds = POLL_MILLISECONDS) {
    this.#catalogue = catalogue;
    this.#directory = directory;
    this.#now = now;
    this.#pollMilliseconds = pollMilliseconds;
  }

  async start(listener: SourceListener): Promise<PolicySnapshot> {
    const { files, documents } = await this.#first().catch((error: unknown) => {
      throw new PolicyFilesError(`the policy directory cannot be read: ${String(error)}`);
    });
    if (documents.problems.length > 0)
      throw new PolicyFilesError(`${documents.problems.length} problem(s) in the policies`, documents.problems);
    this.#loadedVersion = this.#seenVersion = versionOf(files);
    this.#lastSync = this.#now();
    this.#warn(documents, listener);
    this.#schedule(listener);
    return documents;
  }

  async #first(): Promise<{ readonly files: readonly FoundFile[]; readonly documents: PolicyDocuments }> {
    const files = await findYamlFiles(this.#directory);
    return { files, documents: await this.#read(files) };
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  status(): SourceStatus {
    return { description: `directory ${this.#directory}`, problems: this.#problems, lastSync: this.#lastSync };
  }

  #read(files: readonly FoundFile[]): Promise<PolicyDocuments> {
    const paths = files.map(({ path }) => path);
    return readPolicyFiles(this.#catalogue, paths, POLICY_FILE_LIMITS, () => this.#stopped);
  }

  #schedule(listener: SourceListener): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => void this.#poll(listener).finally(() => this.#schedule(listener)),
      this.#pollMilliseconds,
    );
  }

  async #poll(listener: SourceListener): Promise<void> {
    try {
      const files = await findYamlFiles(this.#directory);
      const version = versionOf(files);
      const settled = version === this.#seenVersion;
      this.#seenVersion = version;
      if (!settled || version === this.#loadedVersion) {
        if (version === this.#loadedVersion)
          this.#lastSync = this.#problems.length === 0 ? this.#now() : this.#lastSync;
        return;
      }
      const documents = await this.#read(files);
      // Files may have changed or gone while they were read. Then what was read is no state of the directory.
      this.#seenVersion = versionOf(await findYamlFiles(this.#directory));
      if (this.#seenVersion !== version) return;
      this.#loadedVersion = version;
      this.#apply(documents, listener);
    } catch (error) {
      this.#loadedVersion = undefined;
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
    this.#warn(documents, listener);
  }

  #warn({ warnings }: PolicyDocuments, listener: SourceListener): void {
    if (warnings.length > 0) listener.warned?.(warnings.map(sourceProblem));
  }

  /** Reports problems once, not at every poll. */
  #fail(problems: readonly FileProblem[], listener: SourceListener): void {
    const lines = problems.map(formatFileProblem);
    const isNews = lines.join('\n') !== this.#problems.join('\n');
    this.#problems = lines;
    if (isNews && !this.#stopped) listener.failed(problems.map(sourceProblem));
  }
}
