import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explanationAsSvg } from '../../drawing/svg.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { messageOf } from '../../text/error-message.ts';
import { printLine } from '../io.ts';
import { PictureNames } from './picture-names.ts';
import type { WorkloadExplanation } from '../../timeline/explanation.ts';
import type { CommandIo } from '../io.ts';

/**
 * Writes a picture for each workload into a directory, and prints the paths. False when a picture could not be written;
 * the others are.
 */
export async function writePictures(
  workloads: readonly WorkloadExplanation[],
  directory: string,
  io: CommandIo,
): Promise<boolean> {
  const names = new PictureNames();
  let areAllWritten = true;
  for (const workload of workloads) {
    const path = join(directory, names.next(workload));
    try {
      await mkdir(directory, { recursive: true });
      await replaceFile(path, explanationAsSvg(workload));
      printLine(io.stdout, path);
    } catch (error) {
      printLine(io.stderr, `probewright explain: ${path} cannot be written: ${messageOf(error)}`);
      areAllWritten = false;
    }
  }
  return areAllWritten;
}
