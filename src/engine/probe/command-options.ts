/** A word or an option of a command, with the value of the option. */
export interface CommandOption {
  /** `-X` or `--request`. Undefined for a word that is no option. */
  readonly name: string | undefined;
  /** The value behind the letter, behind `=`, or in the next word. For another word, the word. */
  readonly value: string;
}

/** The letters of curl whose options take a value (curl's manual page). */
export const CURL_VALUED = 'AbCcDdEeFHhKmoPQrTtUuwXxYyz';

/**
 * Reads the options of a command. A long option gets the next word as its value, too, because nobody knows here
 * whether the option takes a value.
 *
 * @param valued the letters whose options take a value
 */
export function optionsOf(words: readonly string[], valued: string): CommandOption[] {
  const options: CommandOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (!word.startsWith('-') || word === '-') options.push({ name: undefined, value: word });
    else if (word.startsWith('--')) {
      const sign = word.indexOf('=');
      if (sign < 0) options.push({ name: word, value: next });
      else options.push({ name: word.slice(0, sign), value: word.slice(sign + 1) });
    } else
      for (let letter = 1; letter < word.length; letter++) {
        const takesValue = valued.includes(word.charAt(letter));
        const rest = word.slice(letter + 1);
        options.push({ name: `-${word.charAt(letter)}`, value: takesValue && rest === '' ? next : rest });
        if (!takesValue) continue;
        if (rest === '') at += 1;
        break;
      }
  }
  return options;
}
