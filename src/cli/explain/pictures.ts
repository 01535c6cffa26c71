import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explanationAsSvg, overviewAsSvg } from '../../explain/drawing/svg.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { printLine, type CommandIo } from '../io.ts';
import type { WorkloadExplanation } from '../../explain/timeline/explanation.ts';

/**
 * Writes a picture for each workload into a directory, and an overview of several workloads. Prints the paths. False
 * when a picture could not be written; the others are.
 */
export async function writePictures(
  workloads: readonly WorkloadExplanation[],
  directory: string,
  io: CommandIo,
): Promise<boolean> {
  const names = new PictureNames();
  let areAllWritten = true;
  const write = async (name: string, draw: () => string): Promise<void> => {
    const path = join(directory, name);
    try {
      await mkdir(directory, { recursive: true });
      await replaceFile(path, draw());
      printLine(io.stdout, path);
    } catch (error) {
      printLine(io.stderr, `probewright explain: ${path} cannot be written: ${messageOf(error)}`);
      areAllWritten = false;
    }
  };
  if (workloads.length > 1) await write(OVERVIEW, () => overviewAsSvg(workloads));
  for (const workload of workloads) await write(names.next(workload), () => explanationAsSvg(workload));
  return areAllWritten;
}

/** Longest file name without number and ending, in characters: file systems allow 255 bytes. */
const LONGEST_STEM = 200;

const OVERVIEW = 'overview.svg';

/**
 * Gives each workload its own file name: `deployment-apps-web.svg`, then `deployment-apps-web-2.svg` for the next of
 * that name.
 */
export class PictureNames {
  readonly #taken = new Set<string>([OVERVIEW]);

  next({ kind, namespace, name }: Pick<WorkloadExplanation, 'kind' | 'namespace' | 'name'>): string {
    const stem = safe(`${kind}-${namespace}-${name}`);
    for (let count = 1; ; count += 1) {
      const candidate = count === 1 ? `${stem}.svg` : `${stem}-${count}.svg`;
      if (this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }
}

/** Letters, digits, dashes and single dots inside: nothing that a shell, a file system or a path interprets. */
function safe(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/[-.]{2,}/g, '-');
  // Signs stand alone now, so one sign at most stands at each end.
  return plain.slice(0, LONGEST_STEM).replace(/^[-.]|[-.]$/g, '') || 'workload';
}
