import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPathUrl, requestedPath } from '../../../src/engine/probe/handler-values.ts';
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
