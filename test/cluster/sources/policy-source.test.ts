import { expect, it } from 'vitest';
import { PolicyFilesError } from '../../../src/cluster/sources/policy-source.ts';

it('a first load that failed has its name, its message and every problem', () => {
  const problem = { file: 'a.yaml', line: 1, column: 1, message: 'no' };
  const { name, message, problems } = new PolicyFilesError('2 problems', [problem]);
  expect([name, message, problems]).toEqual(['PolicyFilesError', '2 problems', [problem]]);
  expect(new PolicyFilesError('no such directory').problems).toEqual([]);
});
