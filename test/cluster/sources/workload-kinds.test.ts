import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { loadWorkloadKinds, readWorkloadKinds } from '../../../src/cluster/sources/workload-kinds.ts';

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

it.each([
  ['spec.template', true],
  ['template', true],
  ['spec.*.template_1', true],
  ['*.template', false],
  ['spec..template', false],
  ['spec.template.', false],
  ['1spec', false],
  ['spec.a-b', false],
  ['', false],
])('the path "%s" of templates is accepted: %s', (podTemplatePath, isAccepted) =>
  expect(read({ ...JOBS, podTemplatePath }).problems === undefined).toBe(isAccepted),
);

it('the known kinds follow those of the file, which may replace them and have several places for templates', () => {
  const rollout = { group: 'argoproj.io', kind: 'Rollout' };
  const paths = ['spec.a', 'spec.b'].map((podTemplatePath) => ({ ...rollout, podTemplatePath }));
  const { problems, ...parsed } = readWorkloadKinds(
    'kinds.yaml',
    `${JSON.stringify(paths)}\n---\n${JSON.stringify([JOBS])}`,
  );
  expect(problems).toBeUndefined();
  const kinds = 'kinds' in parsed ? parsed.kinds : [];
  expect(kinds.slice(0, 2)).toMatchObject([
    {
      ...rollout,
      templatePaths: [
        ['spec', 'a'],
        ['spec', 'b'],
      ],
    },
    { kind: 'NightJob' },
  ]);
  expect(kinds.slice(2)).toEqual(KNOWN_KINDS.filter(({ kind }) => kind !== 'Rollout'));
});

const twice = '"NightJob.batch.example.com" is listed twice; remove an entry, or write another podTemplatePath';
const builtIn = (name: string): string => `"${name}" is built in; remove the entry`;
it.each([
  ['a kind twice', [JOBS, JOBS], `[1].kind: ${twice}`],
  ['a kind twice with another kind between', [JOBS, { ...JOBS, kind: 'Other' }, JOBS], `[2].kind: ${twice}`],
  [
    'a kind that runs to completion in one entry only',
    [JOBS, { ...JOBS, podTemplatePath: 'spec.last', runsToCompletion: true }],
    '[1].kind: "NightJob.batch.example.com" is listed with two values of runsToCompletion; write the same value in each entry',
  ],
  [
    'a built-in kind',
    [{ group: 'apps', kind: 'Deployment', podTemplatePath: 'spec.x' }],
    `[0].kind: ${builtIn('Deployment.apps')}`,
  ],
  ['Pods', [{ group: '', kind: 'Pod', podTemplatePath: 'spec' }], `[0].kind: ${builtIn('Pod')}`],
])('%s is refused', (_, entries, message) =>
  expect(readWorkloadKinds('kinds.yaml', JSON.stringify(entries)).problems).toMatchObject([{ message }]),
);

it('a kind twice in two documents is refused, too', () =>
  expect(
    readWorkloadKinds('kinds.yaml', `${JSON.stringify([JOBS])}\n---\n${JSON.stringify([JOBS])}`).problems,
  ).toMatchObject([{ line: 3, message: `[0].kind: ${twice}` }]));

it('a problem of the file has its line', () =>
  expect(readWorkloadKinds('kinds.yaml', '- group: x\n  kind: App\n  podTemplatePath: spec.\n').problems).toEqual([
    {
      file: 'kinds.yaml',
      line: 3,
      column: 3,
      message: expect.stringMatching(/^\[0\]\.podTemplatePath: must be field names with dots/) as string,
    },
  ]));

it('the file is read, and every problem is thrown', async () => {
  const file = join(await temporaryDirectory(), 'kinds.yaml');
  expect(await loadWorkloadKinds(undefined)).toBe(KNOWN_KINDS);
  await expect(loadWorkloadKinds(file)).rejects.toThrow(/^the workload kinds cannot be read: .*ENOENT/);
  await writeFile(file, JSON.stringify([JOBS]));
  expect((await loadWorkloadKinds(file)).map(({ kind }) => kind)).toEqual([
    'NightJob',
    ...KNOWN_KINDS.map(({ kind }) => kind),
  ]);
  await writeFile(file, '[{}]');
  const failure = loadWorkloadKinds(file);
  await expect(failure).rejects.toThrow('3 problem(s) in the workload kinds');
  await expect(failure).rejects.toHaveProperty('problems.length', 3);
});
