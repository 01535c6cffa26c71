import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from './figures.ts';

/** Kinds of policies that memory-child.ts makes. */
const SHAPES = 'empty ordinary labels values programs headers checks words wide-words broken'.split(' ');
/** The bytes of heap of a policy, and of each byte of its JSON, from which docs/limits.md has the sizing. */
const HEAP_OF_POLICY = 3000;
const HEAP_OF_BYTE = 6;

function measured(what: string): { bytes: number; heap: number } {
  const child = join(import.meta.dirname, 'memory-child.ts');
  const text = execFileSync(process.execPath, ['--expose-gc', child, what], { encoding: 'utf8' });
  return JSON.parse(text) as { bytes: number; heap: number };
}

describe('the heap that a policy takes', () => {
  it.each(SHAPES)('is bounded by its JSON: %s', (shape) => {
    const { bytes, heap } = measured(shape);
    report('Hostile policies', `a policy: ${shape}, ${bytes} bytes of JSON`, `${heap} bytes of heap`);
    expect(heap).toBeLessThan(HEAP_OF_POLICY + HEAP_OF_BYTE * bytes);
  });
});

/** The most bytes of heap that one object may add to the webhook. */
const FACTS = [
  { kind: 'ProbeException', most: 400 },
  { kind: 'Service', most: 200 },
];

describe('what the webhook keeps of the objects of a cluster', () => {
  it.each(FACTS)('takes less than $most bytes for one $kind', ({ kind, most }) => {
    const { heap } = measured(kind);
    report('Hostile policies', `one ${kind} of a cluster`, `${heap} bytes of heap, at most ${most}`);
    expect(heap).toBeLessThan(most);
  });
});
