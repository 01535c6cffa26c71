import { describe, expect, it } from 'vitest';
import { didYouMean, suggestion } from '../../../src/base/text/suggestion.ts';

const WORDS = ['periodSeconds', 'timeoutSeconds', 'httpGet', 'exec', 'port', 'a'];

describe('the suggestion for a misspelt word', () => {
  it.each([
    ['periodSecond', 'periodSeconds'],
    ['PERIODSECONDS', 'periodSeconds'],
    ['httpget', 'httpGet'],
    ['exce', 'exec'],
    ['prot', 'port'],
    ['per', 'periodSeconds'],
    ['tim', 'timeoutSeconds'],
    ['pe', undefined],
    ['zzzzzzzz', undefined],
    ['', 'a'],
    ['b', 'a'],
    ['bc', undefined],
  ])('%j is %j', (word, meant) => expect(suggestion(word, WORDS)).toBe(meant));

  it('is a word that begins with it, before nearer words', () => {
    expect(suggestion('port', ['pora', 'portName'])).toBe('portName');
    expect(suggestion('pot', ['port', 'potato'])).toBe('potato');
    expect(suggestion('po', ['pot', 'potato'])).toBe('pot');
  });

  it('is the first of equally near words', () => expect(suggestion('bar', ['car', 'far'])).toBe('car'));

  it('differs in two letters, or in two fifths of a longer word', () => {
    expect(suggestion('axx', ['abc'])).toBe('abc');
    expect(suggestion('xxx', ['abc'])).toBeUndefined();
    expect(suggestion('xy', ['ab'])).toBeUndefined();
    expect(suggestion('xb', ['ab'])).toBe('ab');
    expect(suggestion('xxxxefghij', ['abcdefghij'])).toBe('abcdefghij');
    expect(suggestion('xxxxxfghij', ['abcdefghij'])).toBeUndefined();
    expect(suggestion('xxxdef', ['abcdef'])).toBeUndefined();
    expect(suggestion('xxcdef', ['abcdef'])).toBe('abcdef');
    expect(suggestion('xxxdefg', ['abcdefg'])).toBe('abcdefg');
  });

  it('has at most 253 characters, and so has the word', () => {
    const long = 'x'.repeat(253);
    expect(suggestion(`${'x'.repeat(252)}y`, [long])).toBe(long);
    expect(suggestion(long, [`${long}x`])).toBeUndefined();
    expect(suggestion(`${long}x`, [long])).toBeUndefined();
    expect(suggestion('port', [`${long}x`, 'ports'])).toBe('ports');
  });

  it('is none without known words', () => expect(suggestion('port', [])).toBeUndefined());
});

it('the question names the word that was meant', () => {
  expect(didYouMean('prot', WORDS)).toBe('; did you mean "port"?');
  expect(didYouMean('zzzz', WORDS)).toBe('');
});
