import { describe, expect, it } from 'vitest';
import { checkInputs, clusterNotes } from '../../../src/cli/check/check-inputs.ts';
import { inputsOf, NO_TEXTS, type Inputs } from '../../../src/cli/input/inputs.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { deploymentWithTypo } from '../deployment-with-typo.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/check/check-inputs.test.ts');

function inputs(...documents: readonly string[]): Inputs {
  const texts = [{ file: 'a.yaml', text: documents.join('---\n') }];
  return inputsOf({ texts, problems: [] }, NO_TEXTS, { kinds: KNOWN_KINDS, namespace: 'apps', now: NOW });
}

describe('the verdict on inputs', () => {
  const comment = '# probewright: ignore named-port - a webhook adds the port\n';
  const typo = deploymentWithTypo('web');

  it('honours comments unless the caller wants all findings', () => {
    const { violations, ignored, summary } = checkInputs(inputs(comment + typo), 'Deny');
    expect([violations, ignored, summary.deny]).toEqual([[], 1, 0]);
    const all = checkInputs(inputs(comment + typo), 'Deny', undefined, false);
    expect([all.violations.map(({ check }) => check), all.ignored, all.summary.deny]).toEqual([['named-port'], 0, 1]);
  });

  it('is at most as strict as the enforcement', () => {
    expect(checkInputs(inputs(typo), 'Warn').summary).toMatchObject({ deny: 0, warn: 1 });
    expect(checkInputs(inputs(typo), 'Deny').summary).toMatchObject({ deny: 1, warn: 0 });
  });

  it('tells its progress before each object, also before one that is no workload', () => {
    const seen: (readonly number[])[] = [];
    const other = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
    const { summary } = checkInputs(inputs(typo, other), 'Deny', (...at) => seen.push(at));
    expect(seen).toEqual([
      [0, 2],
      [1, 2],
    ]);
    expect(summary).toMatchObject({ objects: 2, workloads: 1 });
  });
});

describe('the notes of a command that checks nothing', () => {
  const unused = JSON.stringify(exceptionDocument({ checks: ['exec-cost'] }));

  it('tell of exceptions of a cluster that allow nothing, and of no exceptions in files', () => {
    const ofFiles = inputs(deploymentWithTypo('web'), `${unused}\n`);
    expect(clusterNotes(ofFiles)).toEqual([]);
    const message = expect.stringContaining('ProbeException apps/legacy excepts nothing') as string;
    expect(clusterNotes({ ...ofFiles, isFromCluster: true })).toEqual([
      { file: 'cluster:apps/probeexception/legacy', line: 1, column: 1, message },
    ]);
  });
});
