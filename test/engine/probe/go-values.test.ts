import { describe, expect, it } from 'vitest';
import { goCharacter, goJsonQuote, goQuote, INT32_MAX, isBlank } from '../../../src/engine/probe/go-values.ts';

describe("Go's white space", () => {
  it.each(['', ' ', '\t\n\v\f\r', '\u0085\u00a0\u2003\u2028\u3000'])('is all of %j', (text) =>
    expect(isBlank(text)).toBe(true),
  );

  it.each(['a', ' a', 'a ', '\ufeff', '\u200b', '\0'])('is not all of %j', (text) => expect(isBlank(text)).toBe(false));
});

describe("a text as Go's %q writes it", () => {
  it.each([
    ['', '""'],
    ['plain !#[]~ text', '"plain !#[]~ text"'],
    ['say "a\\b"', String.raw`"say \"a\\b\""`],
    ['\x07\b\f\n\r\t\v', String.raw`"\a\b\f\n\r\t\v"`],
    ['\0\x1f \x7f', String.raw`"\x00\x1f \x7f"`],
    ['größe 世 é €', '"größe 世 é €"'],
    ['\u0080\u00a0\u2028\ufeff', String.raw`"\u0080\u00a0\u2028\ufeff"`],
    ['\uffff', String.raw`"\uffff"`],
    ['😀', '"😀"'],
    ['\u{e0001}\u{10ffff}', String.raw`"\U000e0001\U0010ffff"`],
    ['\u{10000}\u{1000c}', String.raw`"𐀀\U0001000c"`],
    ['a\ud800b', '"a\ufffdb"'],
  ])('of %j is %s', (text, expected) => expect(goQuote(text)).toBe(expected));

  it('has each character as it is alone', () =>
    expect(['a', '"', '\x01', '\x20', '\x7f', '\x80'].map(goCharacter)).toEqual([
      'a',
      String.raw`\"`,
      String.raw`\x01`,
      ' ',
      String.raw`\x7f`,
      String.raw`\u0080`,
    ]));
});

it('is written into JSON with escapes for HTML and for line separators', () => {
  expect(goJsonQuote('<a href="x">&\u2028\u2029</a>\n')).toBe(
    String.raw`"\u003ca href=\"x\"\u003e\u0026\u2028\u2029\u003c/a\u003e\n"`,
  );
  expect(goJsonQuote('größe \ud800')).toBe('"größe \ufffd"');
});

it('has the largest int32', () => expect(INT32_MAX).toBe(2 ** 31 - 1));
