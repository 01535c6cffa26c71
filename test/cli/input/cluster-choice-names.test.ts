import { describe, expect, it } from 'vitest';
import { areNamesOfWorkloads, readClusterNames } from '../../../src/cli/input/cluster-choice.ts';

describe('names of workloads', () => {
  it.each([
    ['', ''],
    ['deploy/web', 'deploy/web'],
    ['deploy/web sts/db', 'deploy/web sts/db'],
    ['statefulset web db', 'statefulset/web statefulset/db'],
    ['deploy,sts', 'deploy sts'],
    ['deploy,sts web', 'deploy/web sts/web'],
  ])('are read as kubectl reads them: %s', (words, expected) => {
    const reading = readClusterNames(words.split(' ').filter(Boolean));
    const names = expected.split(' ').filter(Boolean);
    expect(reading).toEqual({
      kind: 'cluster',
      names: names.map((each) => ({ type: each.split('/')[0], name: each.split('/')[1] })),
    });
  });

  it.each([
    ['deploy/web/x', '"deploy/web/x" is no name of a workload; write TYPE/NAME, such as deploy/web'],
    ['deploy/web db', '"db" is no name of a workload; write TYPE/NAME, such as deploy/web'],
    ['deploy/', '"deploy/" is no name of a workload; write TYPE/NAME, such as deploy/web'],
    ['/web', '"/web" is no name of a workload; write TYPE/NAME, such as deploy/web'],
    ['deploy/../secrets', '"deploy/../secrets" is no name of a workload; write TYPE/NAME, such as deploy/web'],
    ['deploy Web', '"Web" is no name of a workload'],
  ])('are refused when kubectl would refuse them: %s', (words, problem) =>
    expect(readClusterNames(words.split(' '))).toEqual({ kind: 'problem', problem }),
  );

  it.each([
    ['deploy/web', true],
    ['Deployment/web', true],
    ['deployments.apps/web', true],
    ['deployment.v1.apps/web', true],
    ['deployment.batch/web', false],
    ['rollout/web', true],
    ['rollouts.argoproj.io/web', true],
    ['statefulset web', true],
    ['po/web', true],
    ['deploy', false],
    ['apps/web', false],
    ['deploy/web.yaml', false],
    ['deploy/web.v2', true],
    ['deploy/web_1', false],
    ['./deploy/web', false],
    ['web.yaml', false],
    ['-', false],
    ['', false],
  ])('mean a cluster without a flag: %s: %s', (words, isMeant) =>
    expect(areNamesOfWorkloads(words.split(' ').filter(Boolean))).toBe(isMeant),
  );
});
