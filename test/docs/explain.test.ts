import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('docs/explain.md shows what explain prints for the example', () => {
  const printed = ['static.txt', 'static-summary.txt'].map((name) =>
    readFileSync(`test/golden/explain/${name}`, 'utf8'),
  );
  const blocks = [...readFileSync('docs/explain.md', 'utf8').matchAll(/^```([\w -]*)\n([\s\S]*?)^```$/gm)];
  const shown = blocks.filter(([, language]) => language === 'text').map(([, , block = '']) => block);
  expect(shown).toHaveLength(2);
  for (const block of shown) expect(printed.join('')).toContain(block);
});
