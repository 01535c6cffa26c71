import { describe, expect, it } from 'vitest';
import {
  anyText,
  choice,
  commaList,
  durationValue,
  formatDuration,
  instant,
  notAmong,
  parseDuration,
  parsed,
  path,
  someText,
  textThat,
  trueOrFalse,
  wholeNumber,
  wordList,
  type ValueType,
} from '../../../src/cli/flags/value-types.ts';

/** The value of a text, or the problem in place of a value. */
function read(type: ValueType<unknown>, text: string): unknown {
  try {
    return type.read(text);
  } catch (error) {
    return `problem: ${(error as Error).message}`;
  }
}

describe('a text', () => {
  it('may be any text, also an empty one', () => {
    expect(['', ' ', 'a'].map((text) => read(anyText('NAME'), text))).toEqual(['', ' ', 'a']);
    expect(anyText('NAME')).toMatchObject({ placeholder: 'NAME' });
    expect(anyText('NAME').suggestions).toBeUndefined();
  });

  it.each([
    ['some text', someText('HOST'), undefined],
    ['a path of a file', path('HOST', 'files'), 'files'],
    ['a path of a directory', path('HOST', 'directories'), 'directories'],
  ] as const)('must not be empty where it is %s', (_name, type, suggestions) => {
    expect([read(type, ''), read(type, ' '), read(type, 'a')]).toEqual(['problem: must not be empty', ' ', 'a']);
    expect([type.placeholder, type.suggestions]).toEqual(['HOST', suggestions]);
  });

  it('must be readable, and a value may be 0 or false', () => {
    const type = parsed('N', 'a word of the list', (text) =>
      new Map<string, unknown>([
        ['no', false],
        ['zero', 0],
      ]).get(text),
    );
    expect([read(type, 'no'), read(type, 'zero'), read(type, 'x\n')]).toEqual([
      false,
      0,
      String.raw`problem: must be a word of the list, not "x\n"`,
    ]);
    expect(type.placeholder).toBe('N');
  });

  it('must pass a test', () => {
    const type = textThat((text) => text.length < 3, 'a short text', 'TEXT');
    expect([read(type, 'ab'), read(type, ''), read(type, 'abc'), type.placeholder]).toEqual([
      'ab',
      '',
      'problem: must be a short text, not "abc"',
      'TEXT',
    ]);
  });
});

describe('a whole number', () => {
  const type = wholeNumber('PORT', 2, 10);

  it.each([
    ['2', 2],
    ['10', 10],
    ['07', 7],
  ])('may be at its bounds: %s', (text, value) => {
    expect(read(type, text)).toBe(value);
  });

  it.each(['1', '11', '', ' 2', '2 ', '+2', '-2', '2.0', '0x2', '1e1', '٣'])('is refused otherwise: %j', (text) => {
    expect(read(type, text)).toBe(`problem: must be a whole number from 2 to 10, not "${text}"`);
  });

  it('may be 0 where 0 is the least', () => {
    expect(read(wholeNumber('N', 0, 0), '0')).toBe(0);
  });
});

describe('a choice', () => {
  it('reads its words, and lists them in help and for a shell', () => {
    const type = choice(['text', 'json', 'svg']);
    expect([read(type, 'json'), type.placeholder, type.suggestions]).toEqual([
      'json',
      'text|json|svg',
      ['text', 'json', 'svg'],
    ]);
  });

  it('names its words for any other text, and the word that was meant', () => {
    expect(read(choice(['text', 'json', 'svg']), 'jsno')).toBe(
      'problem: must be text, json, svg, not "jsno"; did you mean "json"?',
    );
    expect(read(choice(['text', 'json']), 'TOML')).toBe('problem: must be text or json, not "TOML"');
    expect(read(choice(['text']), '')).toBe('problem: must be text, not ""');
  });

  it('has the same message where a word is no flag', () => {
    expect(notAmong('x', ['bash', 'zsh', 'fish'])).toBe('must be bash, zsh, fish, not "x"');
    expect(notAmong('x', ['bash', 'zsh'])).toBe('must be bash or zsh, not "x"');
  });

  it('of true and false is a boolean', () => {
    const type = trueOrFalse();
    expect([read(type, 'true'), read(type, 'false'), read(type, 'yes')]).toEqual([
      true,
      false,
      'problem: must be true or false, not "yes"',
    ]);
    expect([type.placeholder, type.suggestions]).toEqual(['true|false', ['true', 'false']]);
  });
});

describe('a duration', () => {
  const type = durationValue(60_000);

  it.each([
    ['1ms', 1],
    ['1m', 60_000],
    ['59s999ms', 59_999],
  ])('may be at its bounds: %s', (text, value) => {
    expect(read(type, text)).toBe(value);
  });

  it.each(['0s', '0ms', '60001ms', '1m1ms', '', '5', 'soon'])('is refused otherwise: %j', (text) => {
    expect(read(type, text)).toBe(`problem: must be a duration such as 90s, 5m, 1h30m or 7d, not "${text}"`);
    expect(type.placeholder).toBe('DURATION');
  });

  it.each([
    ['1d', 86_400_000],
    ['1h', 3_600_000],
    ['1m', 60_000],
    ['1s', 1000],
    ['1ms', 1],
    ['0s', 0],
    ['1s1s', 2000],
    ['2ms3s', 3002],
    ['007s', 7000],
  ])('%s is %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', 's', 'ms', '1', '1 s', 's1', '1sm', '1s 1s', '1s1', 'x1s', '1w', '1S', '-1s'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [0, '0s'],
    [1, '1ms'],
    [999, '999ms'],
    [1000, '1s'],
    [59_999, '59s999ms'],
    [60_000, '1m'],
    [3_600_000, '1h'],
    [86_399_999, '23h59m59s999ms'],
    [86_400_000, '1d'],
    [90_000_000, '1d1h'],
    [8 * 86_400_000 + 1, '8d1ms'],
  ])('of %i ms is printed as %s, and is read as the same', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
    expect(parseDuration(text)).toBe(milliseconds);
  });
});

describe('an instant', () => {
  it('has a date, a time and a zone', () => {
    expect(read(instant(), '2027-01-31T00:00:00Z')).toBe(Date.UTC(2027, 0, 31));
    expect(read(instant(), '2027-01-31')).toBe(
      'problem: must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not "2027-01-31"',
    );
    expect(instant().placeholder).toBe('RFC3339');
  });

  it('may be the epoch', () => {
    expect(read(instant(), '1970-01-01T00:00:00Z')).toBe(0);
  });
});

describe('a comma list', () => {
  const type = commaList('USER');

  it('has its names without the blanks around them', () => {
    expect(read(type, 'a')).toEqual(['a']);
    expect(read(type, 'a, b ,c d')).toEqual(['a', 'b', 'c d']);
    expect([type.placeholder, type.suggestions]).toEqual(['USER[,USER...]', undefined]);
  });

  it.each(['', ' ', 'a,', ',a', 'a,,b', 'a, ,b'])('has no empty name: %j', (text) => {
    expect(read(type, text)).toBe(`problem: must be a comma list of names, not "${text}"`);
  });
});

describe('a list of words', () => {
  const type = wordList('CHECK', ['named-port', 'exec-command', 'probe-host']);

  it('has some of the words, which a shell may suggest', () => {
    expect(read(type, 'named-port,probe-host')).toEqual(['named-port', 'probe-host']);
    expect([type.placeholder, type.suggestions]).toEqual([
      'CHECK[,CHECK...]',
      ['named-port', 'exec-command', 'probe-host'],
    ]);
  });

  it('names each unknown word, with the word that was meant', () => {
    expect(read(type, 'named-prot, probe-host, x')).toBe(
      'problem: unknown check: "named-prot" (did you mean "named-port"?), "x"',
    );
  });

  it('has the problem of a comma list', () => {
    expect(read(type, 'named-port,')).toBe('problem: must be a comma list of names, not "named-port,"');
  });
});
