import { endOfString } from './json-text.ts';
import type { Steps } from '../../base/steps.ts';

/**
 * The number of characters for one JSON.parse call. V8 takes up to 15 ms for such a piece if each object has its own
 * keys.
 */
const PIECE = 128 * 1024;
/** The number of characters that are scanned between two steps. */
const SCANNED = 1024 * 1024;
/**
 * The API server's own decoders read 10,000 levels (Go's encoding/json). A review puts the object two levels deeper.
 */
const MOST_LEVELS = 10_002;

const [QUOTE, COMMA, BRACKET, BRACE, CLOSING_BRACKET, CLOSING_BRACE] = ['"', ',', '[', '{', ']', '}'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number];

/**
 * JSON.parse in steps: lists and objects of more than 128 KiB are parsed piece by piece. A single string or number is
 * one piece of any length.
 *
 * @throws SyntaxError for the same texts as JSON.parse, with a message without a position
 * @throws RangeError for a long text that is nested deeper than an API server allows
 */
export function* jsonInSteps(text: string, piece = PIECE): Steps<unknown> {
  if (text.length <= piece) return JSON.parse(text) as unknown;
  const ends = yield* longContainers(text, piece);
  const start = skipBlanks(text, 0);
  const end = ends.get(start);
  if (end === undefined) return JSON.parse(text) as unknown;
  const behind = skipBlanks(text, end);
  if (behind < text.length) throw unexpected(text, behind);
  return yield* new PieceParser(text, ends, piece).container(start);
}

/** The starts of the lists and objects that are longer than a piece, each with its end. */
function* longContainers(text: string, piece: number): Steps<ReadonlyMap<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let pause = SCANNED;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACKET || code === BRACE) {
      if (open.push(at) > MOST_LEVELS) throw new RangeError(`nested more than ${MOST_LEVELS} levels deep`);
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
      const start = open.pop();
      if (start !== undefined && at + 1 - start > piece) ends.set(start, at + 1);
    }
    if (at > pause) {
      pause = at + SCANNED;
      yield;
    }
  }
  if (open.length > 0) throw unexpected(text, text.length);
  return ends;
}

/** Parses the lists and objects that are longer than a piece. */
class PieceParser {
  readonly #text: string;
  readonly #ends: ReadonlyMap<number, number>;
  readonly #piece: number;

  constructor(text: string, ends: ReadonlyMap<number, number>, piece: number) {
    this.#text = text;
    this.#ends = ends;
    this.#piece = piece;
  }

  /** Uses a loop and no recursion: with 10,000 nested generators, each step would pass through all generators. */
  *container(start: number): Steps<unknown> {
    let inner = this.#opened(start);
    const outer: Container[] = [];
    for (;;) {
      const child = yield* this.#untilChild(inner);
      if (child !== undefined) {
        inner.child = child;
        outer.push(inner);
        inner = this.#opened(child);
        continue;
      }
      const { value, end } = inner;
      const around = outer.pop();
      if (around === undefined) return value;
      this.#take(around, value, end);
      inner = around;
    }
  }

  #opened(start: number): Container {
    const isList = this.#text.charCodeAt(start) === BRACKET;
    const end = this.#ends.get(start) ?? this.#text.length;
    const closing = this.#text.charCodeAt(end - 1);
    if (closing !== (isList ? CLOSING_BRACKET : CLOSING_BRACE)) throw unexpected(this.#text, end - 1);
    return { value: isList ? [] : {}, isList, end, at: start + 1, child: 0, needsOne: false };
  }

  /**
   * Parses up to the start of a child that is longer than a piece, and returns the start. Without such a child, parses
   * to the end.
   */
  *#untilChild(container: Container): Steps<number | undefined> {
    const { end } = container;
    /** `run` is the start of the members that are not parsed yet. `last` is the start of the current member. */
    let run = container.at;
    let last = run;
    for (let at = run; at < end - 1; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(this.#text, at);
      else if (code === COMMA) {
        if (at - run > this.#piece) {
          this.#parseRun(container, run, at);
          container.needsOne = true;
          run = at + 1;
          yield;
        }
        last = at + 1;
      } else if (code === BRACKET || code === BRACE) {
        if (this.#ends.has(at)) {
          if (last > run) this.#parseRun(container, run, last - 1);
          container.at = last;
          container.needsOne = false;
          return at;
        }
        at = this.#endOfShort(at, end);
      }
    }
    const isEmpty = skipBlanks(this.#text, run) >= end - 1;
    if (!isEmpty || container.needsOne) this.#parseRun(container, run, end - 1);
    yield;
    return undefined;
  }

  /** The position of the closing bracket of a list or object that is no longer than a piece. */
  #endOfShort(start: number, end: number): number {
    let depth = 0;
    for (let at = start; at < end; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(this.#text, at);
      else if (code === BRACKET || code === BRACE) depth += 1;
      else if ((code === CLOSING_BRACKET || code === CLOSING_BRACE) && --depth === 0) return at;
    }
    throw unexpected(this.#text, start);
  }

  /** Parses the members between two commas. */
  #parseRun({ value, isList }: Container, start: number, end: number): void {
    const members = this.#text.slice(start, end);
    if (isList) {
      const elements = JSON.parse(`[${members}]`) as unknown[];
      if (elements.length === 0) throw unexpected(this.#text, end);
      for (const element of elements) (value as unknown[]).push(element);
      return;
    }
    const object = JSON.parse(`{${members}}`) as Record<string, unknown>;
    const keys = Object.keys(object);
    if (keys.length === 0) throw unexpected(this.#text, end);
    for (const key of keys) setMember(value, key, object[key]);
  }

  /** Adds a child to its container, and checks the text after the child. */
  #take(container: Container, child: unknown, childEnd: number): void {
    const { value, isList, at, end, child: childStart } = container;
    const text = this.#text;
    if (isList) {
      if (skipBlanks(text, at) !== childStart) throw unexpected(text, at);
      (value as unknown[]).push(child);
    } else {
      const keys = Object.keys(JSON.parse(`{${text.slice(at, childStart)}0}`) as object);
      setMember(value, keys[0] ?? '', child);
    }
    const next = skipBlanks(text, childEnd);
    const isLast = next === end - 1;
    if (!isLast && text.charCodeAt(next) !== COMMA) throw unexpected(text, next);
    container.at = isLast ? next : next + 1;
    container.needsOne = !isLast;
  }
}

/** A list or object during its parsing. */
interface Container {
  readonly value: unknown[] | object;
  readonly isList: boolean;
  /** The position after the closing bracket. */
  readonly end: number;
  /** The position of the next member: right after the opening bracket or a comma. */
  at: number;
  /** The start of the child that is being parsed. */
  child: number;
  /** True after a comma: a member must follow. */
  needsOne: boolean;
}

/** Defines `__proto__` as a plain member, because an assignment would set the prototype. */
function setMember(object: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else (object as Record<string, unknown>)[key] = value;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const sign = text[at];
    if (sign !== ' ' && sign !== '\n' && sign !== '\r' && sign !== '\t') break;
  }
  return at;
}

function unexpected(text: string, at: number): SyntaxError {
  const sign = text[at];
  return new SyntaxError(sign === undefined ? 'Unexpected end of JSON input' : `Unexpected token '${sign}'`);
}
