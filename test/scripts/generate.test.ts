import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('npm run generate runs every generate script, what others read first', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Readonly<Record<string, string>> };
  const [, list = ''] =
    /^for each in ([\w ]+); do npm run generate:\$each \|\| exit 1; done$/.exec(scripts['generate'] ?? '') ?? [];
  const names = list.split(' ');
  const all = Object.keys(scripts).flatMap((name) =>
    name.startsWith('generate:') ? [name.slice('generate:'.length)] : [],
  );
  expect(names.toSorted()).toEqual(all.toSorted());
  // The CRDs list the checks, the chart has the CRDs, and the pictures show the report.
  for (const [first, then] of [
    ['checks', 'crds'],
    ['crds', 'chart'],
    ['checks', 'reference'],
    ['report', 'images'],
  ] as const)
    expect(names.indexOf(first)).toBeLessThan(names.indexOf(then));
});
