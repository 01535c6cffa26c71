import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explanationAsSvg, overviewAsSvg } from '../../explain/drawing/svg.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { printLine } from '../io.ts';
import { OVERVIEW, PictureNames } from './picture-names.ts';
import type { WorkloadExplanation } from '../../explain/timeline/explanation.ts';
import type { CommandIo } from '../io.ts';

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
