import { describe, expect, it } from 'vitest';
import { constantIf, filter, ignoresAnswer, inOutput } from '../../../src/engine/command/program-status.ts';

describe('the status of a program', () => {
  it('of a filter hides the program before it, unless it reads a file or is told to fail', () => {
    const head = filter('nc');
    expect([head(['-n', '1'], true), head(['-n', '1'], false), head(['-n', '1', '/x'], true)]).toEqual([
      'filter',
      undefined,
      undefined,
    ]);
    const awk = filter('f', 1, /exit/, /^-f$/);
    expect([awk(['{print}'], true), awk(['{exit 1}'], true), awk(['-f', 'x.awk', '/x'], true)]).toEqual([
      'filter',
      undefined,
      undefined,
    ]);
  });

  it('never fails with options alone, or answers in the output alone', () => {
    expect([constantIf(/^-/)([], false), constantIf(/^-/)(['-u'], false), constantIf(/^-/)(['x'], false)]).toEqual([
      'constant',
      'constant',
      undefined,
    ]);
    const { succeedsWhen, status } = inOutput('nothing matches', /-mmin/);
    expect([succeedsWhen, status(['/x', '-mmin'], false), status(['/x'], false)]).toEqual([
      'nothing matches',
      'output',
      undefined,
    ]);
  });

  it('of curl ignores the answer without -f', () => {
    expect([ignoresAnswer(['web']), ignoresAnswer(['-f', 'web']), ignoresAnswer([])]).toEqual([true, false, false]);
  });
});
