import { describe, expect, it } from 'vitest';
import { CHECK, SELECTION_FLAGS, selectionConflicts } from '../../../src/cli/check/definition.ts';
import { runProbewright } from '../run-probewright.ts';

describe('the flags --only and --skip', () => {
  it('conflict for each check that both name, in the order of --only', () => {
    const only = [['exec-cost', 'named-port'], ['grace-period']];
    expect(selectionConflicts({ only, skip: [['grace-period'], ['exec-cost']] })).toEqual([
      '--only and --skip both name exec-cost',
      '--only and --skip both name grace-period',
    ]);
  });

  it('do not conflict where no check is in both', () => {
    expect(selectionConflicts({ only: [['exec-cost']], skip: [['named-port']] })).toEqual([]);
    expect(selectionConflicts({ only: [['exec-cost']], skip: [] })).toEqual([]);
    expect(selectionConflicts({ only: [], skip: [['exec-cost']] })).toEqual([]);
  });

  it('end the command with 2 when they conflict', async () => {
    const { code, stdout, stderr } = await runProbewright(['check', '-', '--only', 'exec-cost', '--skip', 'exec-cost']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--only and --skip both name exec-cost');
  });
});

describe('the definition of check', () => {
  it('has every flag that selects findings, and says what each exit code means', () => {
    expect(CHECK.flags).toMatchObject(SELECTION_FLAGS);
    expect(Object.keys(CHECK.exitCodes)).toEqual(['0', '1', '2']);
  });

  it.each([
    [['--output', 'yaml'], 'yaml'],
    [['--min-level', 'notice'], 'notice'],
    [['--only', 'exec-cots'], 'exec-cots'],
  ])('refuses %j and names the value', async (flags, value) => {
    const { code, stdout, stderr } = await runProbewright(['check', '-', ...flags]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(value);
  });
});
