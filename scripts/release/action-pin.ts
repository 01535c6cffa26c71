import { createHash } from 'node:crypto';

/** The npm package that the GitHub Action installs. */
export interface ActionPin {
  readonly version: string;
  /** The SHA-512 of the package's file, as npm writes it (Subresource Integrity), or {@link UNRELEASED}. */
  readonly integrity: string;
}

/** In place of an integrity: no package of this version is published. The action then fails with a message. */
export const UNRELEASED = 'unreleased';

const VERSION_LINE = /^( +VERSION: )(\S+)$/m;
const INTEGRITY_LINE = /^( +INTEGRITY: )(\S+)$/m;

/**
 * Reads the pin of action.yml.
 *
 * @throws Error when a line is missing
 */
export function actionPin(action: string): ActionPin {
  const [version, integrity] = [VERSION_LINE, INTEGRITY_LINE].map((line) => line.exec(action)?.[2]);
  if (version === undefined || integrity === undefined) throw new Error('action.yml has no VERSION or no INTEGRITY');
  return { version, integrity };
}

/** Returns action.yml with another pin. */
export function withActionPin(action: string, { version, integrity }: ActionPin): string {
  return action.replace(VERSION_LINE, `$1${version}`).replace(INTEGRITY_LINE, `$1${integrity}`);
}

/** The integrity of a file, as in package-lock.json. */
export function integrityOf(file: Uint8Array): string {
  return `sha512-${createHash('sha512').update(file).digest('base64')}`;
}
