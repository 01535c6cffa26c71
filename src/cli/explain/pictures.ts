import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explanationAsSvg, overviewAsSvg } from '../../explain/drawing/svg.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { wasWritten } from '../output/messages.ts';
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
  const names = pictureNames(workloads);
  const pictures = workloads.map((workload, index) => ({
    name: names[index] ?? '',
    draw: () => explanationAsSvg(workload),
  }));
  if (workloads.length > 1) pictures.unshift({ name: OVERVIEW, draw: () => overviewAsSvg(workloads) });
  let areAllWritten = true;
  for (const { name, draw } of pictures) {
    const path = join(directory, name);
    const isWritten = await wasWritten('explain', path, io, async () => {
      await mkdir(directory, { recursive: true });
      await replaceFile(path, draw());
    });
    if (isWritten) printLine(io.stdout, path);
    areAllWritten &&= isWritten;
  }
  return areAllWritten;
}

/** Longest file name without number and ending, in characters: file systems allow 255 bytes. */
const LONGEST_STEM = 200;

const OVERVIEW = 'overview.svg';

/**
 * A file name for each workload: `deployment-apps-web.svg`, then `deployment-apps-web-2.svg` for the next of that name.
 */
export function pictureNames(workloads: readonly Pick<WorkloadExplanation, 'kind' | 'namespace' | 'name'>[]): string[] {
  const taken = new Set([OVERVIEW]);
  return workloads.map(({ kind, namespace, name }) => {
    const stem = safe(`${kind}-${namespace}-${name}`);
    let candidate = `${stem}.svg`;
    for (let count = 2; taken.has(candidate); count += 1) candidate = `${stem}-${count}.svg`;
    taken.add(candidate);
    return candidate;
  });
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
