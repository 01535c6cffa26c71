import { wordsOfKinds, OF_OWNER, SAYS_NOTHING, type PortMeaningKind } from '../engine/port/words.ts';
import { BARE_IMAGES, BARE_VARIANTS, BASHLESS } from '../engine/command/image.ts';
import { anyOf, celText } from './cel.ts';

/** A letter for each kind of a meaning (engine/port/words.ts). `p` and `n` never answer HTTP. */
const LETTERS: readonly (readonly [kind: PortMeaningKind, letter: string])[] = [
  ['product', 'p'],
  ['beside', 'n'],
  ['seldom', 's'],
  ['metrics', 'm'],
  ['webhook', 'k'],
  ['https', 'S'],
  ['http', 'H'],
  ['web', 'W'],
  ['app', 'A'],
];

const mapOf = (part: 'words' | 'numbers'): string =>
  `{${LETTERS.flatMap(([kind, letter]) => wordsOfKinds(kind)[part].map((key) => `${celText(key)}: ${celText(letter)}`)).join(', ')}}`;

/** The tables of words and numbers of ports, printed from the engine's. */
export const WORDS_TABLE = mapOf('words');
export const NUMBERS_TABLE = mapOf('numbers');

/** A word that says nothing, with or without digits. */
export const NOTHING_PATTERN = celText(`^${anyOf([...SAYS_NOTHING])}[0-9]*$`);

/** A word of a product, in the name of a container, an image or a program. */
export const OWNER_PATTERN = celText(`(?i)(?:^|[^a-z])${anyOf([...OF_OWNER.keys()])}(?:[^a-z]|$)`);
/** A word that gives a port another meaning than HTTP, anywhere in a flag or a variable. */
export const OTHER_PATTERN = celText(
  `(?i)${anyOf([...wordsOfKinds('product', 'beside', 'seldom', 'metrics', 'webhook').words, 'metrics', 'webhook'])}`,
);

/** Fits each image that may lack programs by its name (`lackingIn`), with its tag and digest. */
export const LACKING_PATTERN = celText(
  [
    ...BARE_VARIANTS,
    ...BASHLESS.map(([kind]) => kind),
    ...BARE_IMAGES.map(([, { source }]) => source.replaceAll('$', '(?:$|[:@])').replaceAll('\\/', '/')),
  ].join('|'),
);
