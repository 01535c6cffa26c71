import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { Tally } from '../../../src/process/tally.ts';

function tally(): { tally: Tally; lines: () => Promise<string[]> } {
  const registry = new Registry();
  const made = new Tally({ name: 'x_total', help: 'X.', labelNames: ['a', 'b'], registers: [registry] });
  const lines = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('x_total'));
  return { tally: made, lines };
}

it('a tally counts each combination of labels, and a combination that is zero has a line', async () => {
  const { tally: counted, lines } = tally();
  counted.zero('never', 'yet');
  counted.inc('x', 'y');
  counted.inc('x', 'z');
  counted.inc('x', 'y');
  const first = ['x_total{a="never",b="yet"} 0', 'x_total{a="x",b="y"} 2', 'x_total{a="x",b="z"} 1'];
  expect(await lines()).toEqual(first);
  counted.inc('x', 'z');
  expect(await lines()).toEqual([...first.slice(0, 2), 'x_total{a="x",b="z"} 2']);
});

it('two combinations of labels with the same joined text are counted apart', async () => {
  const { tally: counted, lines } = tally();
  counted.inc('x\ny', 'z');
  counted.inc('x', 'y\nz');
  expect(await lines()).toEqual(['x_total{a="x\\ny",b="z"} 1', 'x_total{a="x",b="y\\nz"} 1']);
});
