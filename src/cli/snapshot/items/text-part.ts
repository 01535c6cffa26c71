import { HIDDEN, namesCredential } from '../../../engine/command/settings.ts';
import { MOST_TEXT_CHARACTERS } from '../../../engine/workload/bounded-container.ts';
import { isUnixSocket } from '../../../engine/port/listening.ts';
import { isPublicWord } from '../../../engine/port/public-words.ts';

/** A text in quotes, the end of a command, or a word. */
const WORD = /"(?:[^"\\]|\\.)*"|'[^']*'|[;|\n]|&(?![\w.-]+=)|(?:[^\s"'`;&|()<>{}\\]|\\.|&(?=[\w.-]+=))+/gs;
/** A flag, a variable or another name, with what stands behind it. Base64 ends in equals signs, too. */
const SETTING = /^(--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)(?:([=:])(?!=|$)(.*)|[=:])?$/s;
/** The user of a URL or an address, and the query of a URL. */
const USER = /^([a-z][a-z\d+.:-]*:\/\/)?.*@/is;
const QUERY = /(:\/\/[^?]*)\?.*$/s;
/** What stands between the signs of addresses and paths. */
const STEP = /[^:/=.,$?[\]\\]+/g;
/** Ports, durations, sizes and shares. A longer number may be a secret. */
const NUMBER = /^[+-]?\d{1,5}(?:[nuµm]?s|[mhd%]|[KMGT]i?B?)?$/i;
/** The credential of `redis-cli -a`, `mysql -p` and `curl -u` stands behind the letter. */
const SHORT_CREDENTIAL = /^-[apu]$/;

/**
 * Reduces texts of a container to their shape. Names of long flags and of variables stay, and numbers, public words,
 * words that leave anyway, and the signs around them. An address keeps its port, and a URL loses user and query. Each
 * other word becomes `x`, and so does each value whose name says that it is a credential.
 */
export class TextPart {
  readonly #leaving: ReadonlySet<string>;
  /** The word before says that this one is a credential. */
  #behind: 'name' | 'letter' | undefined;

  constructor(leaving: ReadonlySet<string>) {
    this.#leaving = leaving;
  }

  /** Reduces a word of a command line. The value of a flag may be the word behind it. */
  word(text: string): string {
    // A text that is not read stays unread.
    if (text.length > MOST_TEXT_CHARACTERS) return HIDDEN.repeat(MOST_TEXT_CHARACTERS + 1);
    const [, name = '', sign] = SETTING.exec(text) ?? [];
    const isWhole = this.#behind !== undefined || (sign !== undefined && name.startsWith('-') && namesCredential(name));
    return isWhole ? this.#setting(text) : this.#reduced(text);
  }

  /** Reduces the value of a variable. */
  value(name: string, text: string): string {
    return namesCredential(name) ? hidden(text) : this.#reduced(text.slice(0, MOST_TEXT_CHARACTERS));
  }

  #reduced(text: string): string {
    return text.replace(WORD, (word, at: number) => {
      const [quote] = /^["']/.exec(word) ?? [];
      if (quote === undefined) return this.#setting(word, /["']/.test(text.charAt(at + word.length)));
      const [inner, behind] = [word.slice(1, -1), this.#behind];
      this.#behind = undefined;
      return quote + (behind === undefined ? this.#reduced(inner) : hidden(inner)) + quote;
    });
  }

  #setting(word: string, isBeforeQuote = false): string {
    const behind = this.#behind;
    if (/^[=:]$/.test(word)) return word;
    this.#behind = undefined;
    if (/^[;&|\n]$/.test(word)) return word;
    const isFlag = /^--?[A-Za-z]/.test(word);
    if (behind !== undefined && !isFlag) {
      // `Authorization: Bearer abc`
      if (/^(?:basic|bearer)$/i.test(word)) this.#behind = behind;
      return behind === 'letter' && this.#leaving.has(word) ? word : hidden(word);
    }
    const [setting, name = '', sign = '', value = ''] = SETTING.exec(word) ?? [];
    const isLetter = SHORT_CREDENTIAL.test(name);
    const isCredential = isLetter || (namesCredential(name) && !this.#leaving.has(name));
    if (isCredential && value === '') this.#behind = isLetter ? 'letter' : 'name';
    const isName = isFlag || sign === '=' || (isBeforeQuote && word.endsWith('='));
    if (setting === undefined || !(isName || isCredential)) return isFlag ? `-${HIDDEN}` : this.#shape(word);
    const shown = isName ? this.#name(name) : this.#shape(name);
    return shown + word.charAt(name.length) + (isCredential ? hidden(value) : this.#shape(value));
  }

  /** A long name behind one dash may be an option with its value: `-pSECRET`. */
  #name(name: string): string {
    return /^-(?!-|[A-Za-z]{1,3}$)/.test(name) ? `-${this.#shape(name.slice(1))}` : name;
  }

  #shape(text: string): string {
    if (isUnixSocket(text) && /^[\w./:-]{1,108}$/.test(text)) return text;
    const parts = text.split(',').map((part) => part.replace(USER, '$1').replace(QUERY, '$1'));
    return parts.join().replace(STEP, (step) => this.#step(step));
  }

  /** The ordinal of a Pod stands behind the name of its StatefulSet: `web-0`. */
  #step(step: string): string {
    if (NUMBER.test(step) || this.#leaves(step.replace(/-\d{1,3}$/, ''))) return step;
    const parts = step.match(/[^-_%]+/g) ?? [];
    if (!parts.some((part) => this.#leaves(part))) return /^\W{0,3}$/.test(step) ? step : HIDDEN;
    return step.replace(/[^-_%]+/g, (part) => (this.#leaves(part) || /^\d{1,2}$/.test(part) ? part : HIDDEN));
  }

  #leaves(word: string): boolean {
    return this.#leaving.has(word) || isPublicWord(word);
  }
}

/** Only the form of a credential stays, and of a path to one. */
const hidden = (text: string): string =>
  text.startsWith('/') ? text.replace(/[^/]+/g, HIDDEN) : text === '' ? '' : HIDDEN;
