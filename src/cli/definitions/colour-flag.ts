import { choice } from '../flags/value-types.ts';
import { withDefault } from '../flags/flag.ts';
import { COLOUR_CHOICES } from '../colour.ts';

/** The flag of each command whose text has colours on a terminal. */
export const COLOUR_FLAG = withDefault({
  type: choice(COLOUR_CHOICES),
  default: 'auto',
  summary: 'Colours in text output.',
  details: 'auto means: on a terminal, unless the environment variable NO_COLOR is set.',
});
