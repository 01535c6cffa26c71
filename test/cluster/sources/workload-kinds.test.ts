import { expect, it } from 'vitest';
import { readWorkloadKinds } from '../../../src/cluster/sources/workload-kinds.ts';

const JOBS = { group: 'batch.example.com', kind: 'NightJob', podTemplatePath: 'spec.jobs.*.template' };
const read = (entry: object): ReturnType<typeof readWorkloadKinds> =>
  readWorkloadKinds('kinds.yaml', JSON.stringify([entry]));

it('a custom kind has the path of its templates, and runs for ever unless it says otherwise', () => {
  const [{ group, kind }, templatePaths] = [JOBS, [['spec', 'jobs', '*', 'template']]];
  const first = (entry: object): unknown => {
    const parsed = read(entry);
    return parsed.problems ?? parsed.kinds[0];
  };
  expect(first(JOBS)).toEqual({ group, kind, templatePaths, runsToCompletion: false });
  expect(first({ ...JOBS, runsToCompletion: true })).toEqual({ group, kind, templatePaths, runsToCompletion: true });
});

it.each(['group', 'kind', 'podTemplatePath'])(
  'a custom kind without %s is refused by the name of the field',
  (field) => {
    expect(read({ ...JOBS, [field]: undefined }).problems).toMatchObject([
      { file: 'kinds.yaml', message: expect.stringContaining(field) as string },
    ]);
  },
);
