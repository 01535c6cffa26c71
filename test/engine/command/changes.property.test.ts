import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { sideEffectOf } from '../../../src/engine/command/changes.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';
import { runs } from '../../support/runs.ts';

/** Scripts of public liveness and readiness probes that only ask. */
const ASKING = cases('asking-command', 'asking') as string[];
/** Scripts that are not known to only ask, with what is named. */
const ACTING = cases('asking-command', 'acting') as [string, string][];
/** Commands without a shell, with what is named, or null. */
const DIRECT = cases('asking-command', 'direct') as [string[], string | null][];

const CORPUS = '../shared/corpus';

const sh = (script: string): string | undefined => sideEffectOf(new ExecCommand(['sh', '-c', script]));

const UNREAD = 'a script that cannot be read';

/** Scripts beyond what the reader parses. */
const UNREADABLE: readonly (readonly [string, string | undefined])[] = [
  ["echo 'open", UNREAD],
  ["echo 'open > x", UNREAD],
  ['$(open; curl localhost', UNREAD],
  ['echo $('.repeat(6) + 'true' + ')'.repeat(6), undefined],
  ['echo $('.repeat(7) + 'true' + ')'.repeat(7), UNREAD],
  [`echo ${'a '.repeat(201)}`, 'more than 200 words'],
];

describe('a command', () => {
  it.each(ASKING)('asks with %s', (script) => expect(sh(script)).toBeUndefined());

  it.each(ACTING)('may have side effects with %s', (script, found) => expect(sh(script)).toBe(found));

  it.each(DIRECT)('without a shell: %j does %s', (command, found) =>
    expect(sideEffectOf(new ExecCommand(command))).toBe(found ?? undefined),
  );

  it.each(UNREADABLE)('that nobody can parse: %s does %s', (script, found) => expect(sh(script)).toBe(found));

  const asking = fc
    .array(fc.constantFrom(...ASKING.filter((script) => !script.includes('<<'))), { minLength: 1, maxLength: 3 })
    .chain((scripts) => fc.constantFrom(' && ', ' || ', '; ', '\n', ' | ').map((between) => scripts.join(between)));

  it('may have side effects as soon as another command is added to commands that ask', () => {
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

  it('may have side effects with rm on a line of its own, whatever stands before', () => {
    const pieces = fc.constantFrom(
      ...['a', ' ', "'", '"', '`', '$', '$(', '${', '(', ')', '{', '}', '\\', '\n', ';', '|', '&', '<', '>', '#', '!'],
      ...['<<<', '[[', ']]', 'case', 'in', 'for', 'do', 'if', 'then', 'fi', 'grep', 'echo', 'sh', '-c', 'A=b'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (before) => {
        const start = before.join('');
        // A here-document without its end swallows the rest.
        fc.pre(!start.includes('<<'));
        expect(sh(`${start}\n;\nrm -rf x`)).toBeDefined();
      }),
      { numRuns: runs(2000) },
    );
  });

  it.skipIf(!existsSync(CORPUS))(
    'of a liveness probe in public charts only asks, except for six (skipped without shared/corpus)',
    () => {
      const others = [...livenessCommands()].map((words) =>
        sideEffectOf(new ExecCommand(JSON.parse(words) as string[])),
      );
      // `rm`, SQL behind the `eval` of a variable, and four programs with Python code.
      const programs = ['entrypoint', 'entrypoint', 'entrypoint', 'psql with these arguments', 'rm', 'sentry'];
      expect(others.filter((found) => found !== undefined).sort()).toEqual(programs);
      expect(others.length).toBeGreaterThan(30);
    },
  );
});

/** The exec commands of liveness probes in public charts, each once, as JSON. */
function livenessCommands(): Set<string> {
  const commands = new Set<string>();
  for (const file of readdirSync(CORPUS).filter((name) => name.endsWith('.json')))
    JSON.parse(readFileSync(`${CORPUS}/${file}`, 'utf8'), (key, value: unknown) => {
      const words = key === 'livenessProbe' ? (value as { exec?: { command?: string[] } }).exec?.command : undefined;
      if (words !== undefined) commands.add(JSON.stringify(words));
      return value;
    });
  return commands;
}
