import { expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/package/api/engine-options.ts';

it('an invalid input is an error with each problem, for people and for programs', () => {
  const problems = [
    { place: 'policies[0]', message: 'spec.port: 70000 is not a port number' },
    { place: 'options', message: 'must be an object' },
  ];
  const error = new InvalidInputError(problems);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'InvalidInputError', code: 'PROBEWRIGHT_INVALID_INPUT', problems });
  expect(error.message).toBe('policies[0]: spec.port: 70000 is not a port number\noptions: must be an object');
});
