import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { commandActs } from '../../../src/engine/probe/exec-effects.ts';
import { runs } from '../../support/runs.ts';

/** Scripts of public liveness and readiness probes that only ask. */
const ASKING = cases('exec-effects', 'asking') as string[];
/** Scripts with side effects, with what is named. */
const ACTING = cases('exec-effects', 'acting') as [string, string][];
/** Commands without a shell, with what is named, or null. */
const DIRECT = cases('exec-effects', 'direct') as [string[], string | null][];

const sh = (script: string): string | undefined => commandActs(['sh', '-c', script]);

/** Scripts that the reader cannot parse. */
const UNREADABLE: readonly (readonly [string, string | undefined])[] = [
  ["echo 'open", undefined],
  ["echo 'open 2>&1", undefined],
  ["echo 'open > x", '>'],
  ["'open; rm x", 'rm'],
  ['$(open; curl localhost', undefined],
];

describe('a command', () => {
  it.each(ASKING)('asks with %s', (script) => expect(sh(script)).toBeUndefined());

  it.each(ACTING)('acts with %s', (script, found) => expect(sh(script)).toBe(found));

  it.each(DIRECT)('without a shell: %j does %s', (command, found) =>
    expect(commandActs(command)).toBe(found ?? undefined),
  );

  it.each(UNREADABLE)('that nobody can parse: %s does %s', (script, found) => expect(sh(script)).toBe(found));

  const asking = fc
    .array(fc.constantFrom(...ASKING.filter((script) => !script.includes('<<'))), { minLength: 1, maxLength: 3 })
    .chain((scripts) => fc.constantFrom(' && ', ' || ', '; ', '\n', ' | ').map((between) => scripts.join(between)));

  it('acts as soon as a command that acts is added to commands that ask', () => {
    const acting = fc.constantFrom(
      ' > /tmp/x',
      ' >>x',
      '; rm -rf x',
      ' || kill 1',
      ' | tee /x',
      ' && (touch x)',
      ' $(rm x)',
    );
    fc.assert(
      fc.property(asking, acting, (script, addition) => {
        expect(sh(script + addition)).toBeDefined();
      }),
    );
  });

  it('acts with rm on a line of its own, whatever stands before', () => {
    const pieces = fc.constantFrom(
      ...['a', ' ', "'", '"', '`', '$', '$(', '${', '(', ')', '{', '}', '\\', '\n', ';', '|', '&', '<', '>', '#', '!'],
      ...['<<X', '<<<', '[[', ']]', 'case', 'in', 'for', 'do', 'if', 'then', 'fi', 'grep', 'echo', 'sh', '-c', 'A=b'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (before) => {
        expect(sh(`${before.join('')}\n;\nrm -rf x`)).toBeDefined();
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each(['$(', '`', '"', '-', 'sh -c ', 'xargs ', '; ', '<<X\n', 'a>', 'A', 'find -exec '])(
    'of %j many times is read in linear time',
    (unit) => {
      const time = (count: number): number => {
        const script = unit.repeat(count);
        const runs = Array.from({ length: 7 }, () => {
          const start = performance.now();
          sh(script);
          return performance.now() - start;
        });
        return Math.min(...runs);
      };
      const short = time(4000);
      expect(time(32_000)).toBeLessThan(Math.max(short, 0.2) * 30);
    },
  );
});
