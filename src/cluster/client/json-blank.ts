const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACES: readonly (number | undefined)[] = [0x20, 0x0a, 0x0d, 0x09];

/** Where members are in a document: names of members on the way to an object, `*` for each element of a list. */
export interface MemberPlace {
  readonly path: readonly string[];
  /** Names of members of that object. */
  readonly names: readonly string[];
}

/**
 * JSON in which the values of some members are null. A hundred thousand labels take a tenth of a second to parse and
 * next to none to look over, and the writer of an object decides how many there are. Text that is no JSON is returned
 * unchanged, for the parser to refuse.
 */
export function withBlankMembers(json: Buffer, { path, names }: MemberPlace): Buffer {
  const scan = new Scan(json, path, names);
  return scan.isWhole() ? scan.result() : json;
}

const NULL = Buffer.from('null');

class Scan {
  readonly #json: Buffer;
  readonly #path: readonly string[];
  readonly #names: readonly string[];
  readonly #kept: Buffer[] = [];
  #keptUntil = 0;
  #at = 0;

  constructor(json: Buffer, path: readonly string[], names: readonly string[]) {
    this.#json = json;
    this.#path = path;
    this.#names = names;
  }

  isWhole(): boolean {
    return this.#value(0);
  }

  result(): Buffer {
    return this.#kept.length === 0 ? this.#json : Buffer.concat([...this.#kept, this.#json.subarray(this.#keptUntil)]);
  }

  /** The value here, on the path or at its end. False where it is not as JSON is. */
  #value(depth: number): boolean {
    this.#spaces();
    const opens = this.#json[this.#at];
    if (opens === OPEN_LIST && this.#path[depth] === '*') return this.#elements(depth);
    if (opens === OPEN_OBJECT && this.#path[depth] !== '*') return this.#members(depth);
    return this.#skip();
  }

  #elements(depth: number): boolean {
    this.#at++;
    this.#spaces();
    if (this.#json[this.#at] === CLOSE_LIST) return this.#step();
    for (;;) {
      if (!this.#value(depth + 1)) return false;
      this.#spaces();
      const next = this.#json[this.#at++];
      if (next === CLOSE_LIST) return true;
      if (next !== COMMA) return false;
    }
  }

  #members(depth: number): boolean {
    this.#at++;
    this.#spaces();
    if (this.#json[this.#at] === CLOSE_OBJECT) return this.#step();
    for (;;) {
      this.#spaces();
      const start = this.#at + 1;
      if (this.#json[this.#at] !== QUOTE || !this.#skip()) return false;
      const name = this.#json.toString('latin1', start, this.#at - 1);
      this.#spaces();
      if (this.#json[this.#at++] !== COLON || !this.#member(depth, name)) return false;
      this.#spaces();
      const next = this.#json[this.#at++];
      if (next === CLOSE_OBJECT) return true;
      if (next !== COMMA) return false;
    }
  }

  #member(depth: number, name: string): boolean {
    if (depth < this.#path.length) return name === this.#path[depth] ? this.#value(depth + 1) : this.#skip();
    this.#spaces();
    const start = this.#at;
    if (!this.#skip()) return false;
    if (this.#names.includes(name)) {
      this.#kept.push(this.#json.subarray(this.#keptUntil, start), NULL);
      this.#keptUntil = this.#at;
    }
    return true;
  }

  /** Goes behind the value here, however deep it is. */
  #skip(): boolean {
    const json = this.#json;
    this.#spaces();
    let at = this.#at;
    let depth = 0;
    for (; at < json.length; at++) {
      const byte = json[at];
      if (byte === QUOTE) {
        for (at++; json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
          if (at >= json.length) return false;
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++;
        continue;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        // A number or a word ends where what it is in ends.
        if (depth === 0) break;
        depth--;
      } else if (byte === COMMA && depth === 0) break;
      else continue;
      if (depth === 0) {
        at++;
        break;
      }
    }
    this.#at = at;
    return depth === 0;
  }

  #step(): true {
    this.#at++;
    return true;
  }

  #spaces(): void {
    while (SPACES.includes(this.#json[this.#at])) this.#at++;
  }
}
