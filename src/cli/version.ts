import { VERSION } from '../base/version.ts';
import { PROGRAM } from './command-table.ts';
import { EXIT_OK } from './io.ts';
import type { CommandIo } from './io.ts';

/** `probewright version`. */
export function runVersion(_line: unknown, io: CommandIo): number {
  io.stdout.write(`${PROGRAM} ${VERSION}\n`);
  return EXIT_OK;
}
