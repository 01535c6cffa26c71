import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  execArgv,
  firstControlCharacter,
  isHeaderName,
  isLoopbackHost,
  isPortName,
  isPortNumber,
  namesNoProgram,
  readPathUrl,
  requestedPath,
} from '../../../src/engine/probe/handler-values.ts';
import { cases } from '../../support/cases.ts';

describe('the path that the kubelet asks for', () => {
  it.each(cases('handler-values', 'of is') as [string, string][])('of %s is %s', (path, asked) =>
    expect(requestedPath(path)).toBe(asked),
  );

  it('of a URL is a path without a scheme, which stays as it is', () => {
    const url = fc
      .tuple(fc.constantFrom('http://', 'https://', 'a:', 'x:/'), fc.string())
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(url, (text) => {
        const path = readPathUrl(text)?.path;
        fc.pre(path !== undefined);
        expect(readPathUrl(path)).toBeUndefined();
        expect(requestedPath(path)).toBe(path);
        expect(requestedPath(text)).toBe(path);
      }),
      { examples: [['http://web/livez?a=b#c']] },
    );
  });
});

/** Expects the answer yes for the first values and no for the others. */
function tells<T>(ask: (value: T) => boolean, yes: readonly T[], no: readonly T[]): void {
  expect(yes.filter((value) => !ask(value))).toEqual([]);
  expect(no.filter(ask)).toEqual([]);
}

describe('a value of a handler', () => {
  it('is the name of a port by the rules of IANA', () =>
    tells(
      isPortName,
      ['http', 'a', '9a', '1-a', 'a-9', 'a'.repeat(15), '0-0-z'],
      ['', '9', '1-2', 'a--b', '-a', 'a-', 'A', 'a+b', 'a_b', '+a', 'a9+', 'a'.repeat(16)],
    ));

  it('is the number of a port from 1 to 65535', () =>
    tells<unknown>(isPortNumber, [1, 80, 65_535], [0, -1, 65_536, 1.5, NaN, '80', null]));

  it('is the name of a header of letters, digits and hyphens', () =>
    tells(isHeaderName, ['Host', 'X-9', '-', 'z'], ['', 'a b', 'a:', 'a+', 'a_b']));

  it('is the own host by its usual names', () =>
    tells(
      isLoopbackHost,
      ['localhost', 'LocalHost', '127.0.0.1', '127.1.22.123', '::1', '[::1]'],
      [
        '',
        'localhost.',
        'a.localhost',
        '128.0.0.1',
        '126.0.0.1',
        '127.0.0',
        '127.0.0.1234',
        '127.0.0.0.1',
        '::2',
        '[::2]',
        '::',
      ],
    ));

  it('has control characters, but for the tab, at the place that is told', () => {
    expect(firstControlCharacter('a\tb')).toBe(-1);
    for (const character of ['\0', '\b', '\n', '\u001f', '\u007f'])
      expect(firstControlCharacter(`ab${character}${character}`)).toBe(2);
    expect(firstControlCharacter(' ~\u0080')).toBe(-1);
  });

  it.each([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a', null],
      ['a', ''],
    ],
    [['a', 1], undefined],
    [[], undefined],
    ['a', undefined],
    [undefined, undefined],
  ])('is the command %j as Go reads it: %j', (command, argv) => expect(execArgv({ command })).toEqual(argv));

  it('names no program when it is empty, blank or null', () =>
    tells<unknown>(namesNoProgram, ['', ' ', '\t\n', null], ['sh', ' sh ', 0, undefined, []]));

  it.each([
    ['/live', undefined],
    ['live', undefined],
    [':80', undefined],
    ['http://web/live?a#b', { scheme: 'http', path: '/live?a' }],
    ['http://web?a', { scheme: 'http', path: '/?a' }],
    ['http://web', { scheme: 'http', path: '/' }],
    ['localhost:8080/live', { scheme: 'localhost', path: undefined }],
    ['http://user@web/live', { scheme: 'http', path: undefined }],
    ['http://web//live', { scheme: 'http', path: undefined }],
    ['http://web/%zz', { scheme: 'http', path: undefined }],
    ['http://[::1]:80/live', { scheme: 'http', path: '/live' }],
  ])('is the path %s, read as a URL: %j', (path, url) => expect(readPathUrl(path)).toEqual(url));
});
