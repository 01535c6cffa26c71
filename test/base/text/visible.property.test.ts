import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeXml, jsonText, outputLine, visible, visibleJson } from '../../../src/base/text/visible.ts';
import { expectHarmless, HOSTILE } from '../../support/hostile-text.ts';
import { runs } from '../../support/runs.ts';

/** Texts of all code units, of words that CI hosts obey, and of emoji. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '##',
        '[',
        '::',
        ' ',
        '\n',
        '\r',
        '##vso[',
        '::error::x',
        '\u001b',
        '\u200d',
        '\ufe0f',
        '😀',
        '%0A',
        ']]>',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

describe('a text that is made visible', () => {
  it.each([
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['a hyperlink of a terminal', '\u001b]8;;x\u0007', '\\u001b]8;;x\\u0007'],
    ['a control sequence in one C1 character', '\u009b2J', '\\u009b2J'],
    ['line breaks', 'a\nb\r\u0085\u2028\u2029\u000b\u000c', 'a\\nb\\r\\u0085\\u2028\\u2029\\u000b\\u000c'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['bidirectional controls', '\u202e\u2066\u061c\u200e', '\\u202e\\u2066\\u061c\\u200e'],
    ['zero-width characters', 'a\u200b\u200d\ufeff\u00ad', 'a\\u200b\\u200d\\ufeff\\u00ad'],
    ['letters without a shape', '\u3164\u115f', '\\u3164\\u115f'],
    ['half of a surrogate pair', '\ud83dx', '\\ud83dx'],
    ['a tag character', '\u{e0041}', '\\udb40\\udc41'],
    ['a command of GitHub and Azure', 'x ##[error]y', 'x #\\u0023[error]y'],
    ['a command of Azure', '##vso[task.complete]', '#\\u0023vso[task.complete]'],
    ['a command of TeamCity', '##teamcity[x]', '#\\u0023teamcity[x]'],
  ])('shows %s', (_, text, shown) => expect(visible(text)).toBe(shown));

  it('keeps accents, CJK, Arabic and emoji, joined ones included', () => {
    const text = 'é ñ 漢字 かな 한글 العربية 👩‍👩‍👧 👩🏽‍🚀 🏳️‍🌈 ❤️ 1️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ## heading [x] http://[::1]/';
    expect(visible(text)).toBe(text);
  });

  it('holds nothing that commands a reader, and is the same when it is made visible again', () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = outputLine(text);
        expectHarmless(
          line.replace(/\p{Extended_Pictographic}\p{EMod}?(\ufe0f|\u200d(?=\p{Extended_Pictographic}))+/gu, ''),
        );
        expect(line).not.toContain('\n');
        expect(visible(visible(text))).toBe(visible(text));
      }),
      { numRuns: runs(1000) },
    ));

  it('is the same value in JSON', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(0, 2, '\t'), (text, indent) => {
        expect(JSON.parse(visibleJson(JSON.stringify({ [text]: [text] }, null, indent)))).toEqual({ [text]: [text] });
        expect(JSON.parse(visibleJson(JSON.stringify(text)))).toBe(text);
      }),
      { numRuns: runs(1000) },
    );
    expectHarmless(jsonText({ [HOSTILE]: HOSTILE }, undefined, 2));
  });

  it('has only characters that XML 1.0 can hold, and no markup', () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(escapeXml(text)).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
        expect(escapeXml(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/);
      }),
      { numRuns: runs(1000) },
    ));
});

describe('a line of output', () => {
  it.each(['::error::x', '  ::add-mask::x', '\u00a0::error::x', '::'])(
    'does not begin as a workflow command: %j',
    (text) => expect(outputLine(text).trim()).toMatch(/^\\u003a:/),
  );

  it('keeps colons inside', () => expect(outputLine('a.yaml:1:1: spec::x')).toBe('a.yaml:1:1: spec::x'));
});
