import { quote } from '../../../base/text/cut.ts';
import { lackingIn, lacks, type Lacking } from '../../command/image.ts';
import { missingOf } from '../../command/needs.ts';
import { containerPhrase, listed, type Finding } from '../check.ts';
import type { ExecCommand } from '../../command/words.ts';
import type { BareContainer, Container } from '../../workload/pod.ts';

/** The programs that a command needs and the image has not. */
export interface MissingPrograms extends Pick<Finding, 'level'> {
  /** Index of the word of the command that needs the first one. */
  readonly at: number;
  readonly message: string;
}

/** What a container's image lacks, by its name. */
export const lackingOf = (container: Container): Lacking | undefined => container.once(ofImage);
const ofImage = ({ image }: BareContainer): Lacking | undefined => lackingIn(image);

/**
 * Tells which programs of a command the image lacks, by the image's name. A note for bash, which whoever builds on
 * Alpine may have installed.
 *
 * @param where the place of the command in the container: `livenessProbe`
 */
export function missingPrograms(
  container: Container,
  command: ExecCommand,
  where: string,
): MissingPrograms | undefined {
  const lacking = lackingOf(container);
  if (lacking === undefined) return undefined;
  const programs = missingOf(command, (program) => lacks(lacking, program));
  const [first] = programs;
  if (first === undefined) return undefined;
  const isBash = lacking.programs === 'bash';
  const image = `${lacking.kind === 'alpine' ? 'an' : 'a'} ${lacking.kind} image`;
  const has = isBash ? 'has bash only where installed' : 'contains no such program';
  // The first one fails, and the last one does the work.
  const names = listed([...new Set([first, programs.at(-1) ?? first])].map(({ program }) => quote(program)));
  return {
    at: first.at,
    message: `${containerPhrase(container)} runs ${names} in its ${where}, and ${image} ${has}`,
    ...(isBash && { level: 'Audit' }),
  };
}
