import type { CommandIo } from '../io.ts';
import type { CommandLine } from '../flags/flag.ts';
import type { Inputs } from '../input/inputs.ts';
import type { Target } from './target.ts';
import type { TRY } from './definition.ts';
export function clusterTarget(_l: CommandLine<typeof TRY.flags>, _i: Inputs, _io: CommandIo): Promise<Target> {
  throw new Error('x');
}
