import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from './figures.ts';

/** Kinds of policies that memory-child.ts makes. */
const SHAPES = 'empty ordinary labels values programs headers checks words wide-words broken'.split(' ');
/** A measurement of the heap is not exact. */
const TOLERANCE = 1.1;

function measured(what: string): { bytes: number; heap: number; estimate: number } {
  const child = join(import.meta.dirname, 'memory-child.ts');
  const text = execFileSync(process.execPath, ['--expose-gc', child, what], { encoding: 'utf8' });
  return JSON.parse(text) as { bytes: number; heap: number; estimate: number };
}

describe('the estimate of what a policy takes in memory', () => {
  it.each(SHAPES)('is no less than the heap that it takes: %s', (shape) => {
    const { bytes, heap, estimate } = measured(shape);
    report(
      'Hostile policies',
      `a policy: ${shape}, ${bytes} bytes of JSON`,
      `${heap} bytes of heap, estimated at ${estimate}`,
    );
    expect(heap).toBeLessThan(estimate * TOLERANCE);
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
