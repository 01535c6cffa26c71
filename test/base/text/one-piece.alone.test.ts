import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, it } from 'vitest';
import { inOnePiece } from '../../../src/base/text/one-piece.ts';

function joined(characters: string): string {
  let text = '';
  for (const character of characters) text += character;
  return text;
}

it.each(['', 'a', 'value 17 of 200', '\uffff', '\uffff and more', 'ü😀'])('keeps every text: %j', (text) => {
  expect(inOnePiece(joined(text))).toBe(text);
});

it('takes less than half of the memory of a text that was joined character by character', () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const memoryOf = (make: (text: string) => string): number => {
    collect();
    const before = process.memoryUsage().heapUsed;
    const texts = Array.from({ length: 20_000 }, (_, index) => make(`the value number ${index} of many`));
    collect();
    const after = process.memoryUsage().heapUsed;
    expect(texts).toHaveLength(20_000);
    return after - before;
  };
  const chains = memoryOf(joined);
  expect(memoryOf((text) => inOnePiece(joined(text)))).toBeLessThan(chains / 2);
});
