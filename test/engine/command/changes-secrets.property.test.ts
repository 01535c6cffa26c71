import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { sideEffectOf } from '../../../src/engine/command/changes.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';
import { runs } from '../../support/runs.ts';

/** Stands for the secret. */
const SECRET = '§';

/** Commands with side effects, and a secret in a value, a URL, data, a header or code. */
const WITH_SECRET = cases('asking-command-secrets', 'acting') as string[][];

describe('the reason for a command with side effects', () =>
  it.each(WITH_SECRET.map((command) => [command]))('tells no value, URL, data or code of %j', (command) => {
    const secret = fc.stringMatching(/^[a-z0-9]{1,6}[0-9][A-Za-z0-9_-]{4,12}$/);
    fc.assert(
      fc.property(secret, (value) => {
        const found = sideEffectOf(new ExecCommand(command.map((word) => word.replaceAll(SECRET, value))));
        expect(found).toBeDefined();
        expect(found).not.toContain(value);
      }),
      { numRuns: runs(50) },
    );
  }));
