import { describe, expect, it } from 'vitest';
import { FAILED, OUTPUT } from '../../../src/engine/command/state.ts';
import { resultOfTest } from '../../../src/engine/command/test-status.ts';

describe('the result of test', () => {
  it.each([
    [[], false],
    [['x'], true],
    [[''], false],
    [['!', ''], true],
    [['!', '-f', '/x'], 'free'],
    [['-f', '/x'], 'free'],
    [['-z', ''], true],
    [['-n', ''], false],
    [['-n', undefined], 'unknown'],
    [['a', '=', 'a'], true],
    [['a', '!=', 'a'], false],
    [['1', '-lt', '2'], true],
    [['1', '-lt', 'x'], 'unknown'],
    [['/a', '-nt', '/b'], 'free'],
    [[OUTPUT, '=', '1'], 'free'],
    [[undefined, '=', '1'], 'unknown'],
    [[FAILED, '-eq', '0'], false],
    [['0', '-eq', FAILED], 'unknown'],
    [[FAILED, '-ne', '0'], true],
    [[FAILED, '-eq', '1'], 'unknown'],
    [['a', '-o', 'b', '-a', 'c'], 'unknown'],
  ] as const)('of %j is %s', (operands, result) => expect(resultOfTest(operands)).toBe(result));
});
