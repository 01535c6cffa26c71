import { describe, expect, it } from 'vitest';
import { checkManifests, clusterNotes } from '../../../src/cli/check/check-manifests.ts';
import { NO_TEXTS } from '../../../src/cli/input/manifests.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { deploymentWithTypo } from '../deployment-with-typo.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/check/check-manifests.test.ts');

function inputs(...documents: readonly string[]): FlatGiven {
  const texts = [{ file: 'a.yaml', text: documents.join('---\n') }];
  return flatGiven(worldOf({ texts, problems: [] }, NO_TEXTS, { kinds: KNOWN_KINDS, namespace: 'apps', now: NOW }));
}

const check = (given: FlatGiven, how: Parameters<typeof checkManifests>[2] = {}) => checkManifests(given, given, how);

describe('the verdict on inputs', () => {
  const comment = '# probewright: ignore named-port - a webhook adds the port\n';
  const typo = deploymentWithTypo('web');

  it('honours comments unless the caller wants all findings', () => {
    const { violations, ignored } = check(inputs(comment + typo));
    expect([violations, ignored]).toEqual([[], 1]);
    const all = check(inputs(comment + typo), { honoursComments: false });
    expect(all.violations).toMatchObject([{ check: 'named-port', action: 'Deny' }]);
    expect(all.ignored).toBe(0);
  });

  it('is at most as strict as the enforcement', () => {
    for (const enforcement of ['Warn', 'Deny'] as const)
      expect(check(inputs(typo), { enforcement }).violations.map(({ action }) => action)).toEqual([enforcement]);
  });

  it('denies an object that no review looks at, in the words of /validate', () => {
    const long = typo.replace('metadata: {', `metadata: { annotations: { a: "${'<'.repeat(1_300_000)}" },`);
    const message =
      'the request has more than 7 MiB, in which each "<", ">" and "&" takes six bytes, and is not looked at; make the object smaller';
    expect(check(inputs(long)).violations.map((found) => [found.message, found.action])).toEqual([[message, 'Deny']]);
  });

  it('tells its progress before each object, also before one that is no workload', () => {
    const seen: (readonly number[])[] = [];
    const other = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
    const { summary } = check(inputs(typo, other), { progress: (...at) => seen.push(at) });
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
    expect(clusterNotes(ofFiles, ofFiles)).toEqual([]);
    const commented = inputs(`# probewright: ignore exec-cost - ours\n${deploymentWithTypo('web')}`);
    expect(check(commented).notes).toHaveLength(1);
    expect(clusterNotes(commented, { ...commented, isFromCluster: true })).toEqual([]);
    const message = expect.stringContaining('ProbeException apps/legacy excepts nothing') as string;
    expect(clusterNotes(ofFiles, { ...ofFiles, isFromCluster: true })).toEqual([
      { file: 'cluster:apps/probeexception/legacy', line: 1, column: 1, message },
    ]);
  });
});
