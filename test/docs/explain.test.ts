import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('docs/explain.md shows what explain prints for the example', () => {
  const printed = readFileSync('test/golden/explain/static.txt', 'utf8');
  const blocks = [...readFileSync('docs/explain.md', 'utf8').matchAll(/^```([\w -]*)\n([\s\S]*?)^```$/gm)];
  const shown = blocks.filter(([, language]) => language === 'text').map(([, , block = '']) => block);
  expect(shown).toHaveLength(2);
  for (const block of shown) expect(printed).toContain(block);
});
