import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { whyAlwaysTrue } from '../../../src/engine/command/meaning.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

type Truth = 'cannotFail' | 'mayFail' | 'cannotFailInBash' | 'mayFailInBash';
/** What real shells do: `meaning-shells.slow.test.ts` runs each of them. */
const TRUTHS = parse(readFileSync('test/fixtures/shell-truths.yaml', 'utf8')) as Record<Truth, readonly string[]>;

/** What the product says: a proof that no answer makes the command fail. */
const cannotFail = (shell: string, script: string): boolean =>
  whyAlwaysTrue(new ExecCommand([shell, '-c', script]), []) !== undefined;

it('a script that may fail is never said to succeed always', () => {
  const wrong = [
    ...TRUTHS.mayFail.filter((script) => cannotFail('sh', script)),
    ...TRUTHS.mayFailInBash.filter((script) => cannotFail('bash', script)),
  ];
  expect(wrong).toEqual([]);
});

/** The share that may be silent. */
const MOST_SILENT = 0.05;

it('few scripts that cannot fail are silent', () => {
  const silent = [
    ...TRUTHS.cannotFail.filter((script) => !cannotFail('sh', script)),
    ...TRUTHS.cannotFailInBash.filter((script) => !cannotFail('bash', script)),
  ];
  const all = TRUTHS.cannotFail.length + TRUTHS.cannotFailInBash.length;
  expect(silent.length / all, silent.join('\n')).toBeLessThanOrEqual(MOST_SILENT);
});
