import { describe, expect, it } from 'vitest';
import { withoutWorkloads } from '../../../src/cli/check/nothing-judged.ts';
import { checkManifests } from '../../../src/cli/check/check-manifests.ts';
import { totalsOf } from '../../../src/cli/check/text.ts';
import { NOTHING_LEFT_OUT, shownReport } from '../../../src/cli/check/report.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NO_TEXTS, type ReadTexts } from '../../../src/cli/input/manifests.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { NOW } from '../../support/now.ts';

const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: { name: s }\n';
const CHART = { charts: 1, kustomizations: 0 };
const POD = 'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { containers: [{ name: a, image: a }] }\n';

function reportOf(text: string, unread: Partial<ReadTexts>) {
  const texts = { ...NO_TEXTS, texts: [{ file: 'a.yaml', text, isFound: true }], ...unread };
  const given = worldOf(texts, NO_TEXTS, { kinds: KNOWN_KINDS, namespace: 'default', now: NOW });
  return withoutWorkloads(checkManifests(given.manifests, given.world), given, ['dir', '-']);
}

const told = (text: string, unread: Partial<ReadTexts> = {}): readonly string[] =>
  reportOf(text, unread).problems.flatMap(({ file, message, isFound }) =>
    isFound === true ? [] : [`${file}: ${message.replace('; --allow-empty accepts that', '')}`],
  );
const problem = { file: 'dir/b.yaml', line: 1, column: 1, message: 'no', isFound: true };

describe('inputs without a workload', () => {
  it.each([
    [
      'a chart is left out',
      { leftOut: CHART, unchecked: ['chart web lacks redis'] },
      'no workload is checked: chart web lacks redis',
    ],
    [
      'a chart is not rendered',
      { leftOut: CHART, notes: [{ why: 'chart web: not rendered', command: 'helm' }] },
      'no workload is checked: chart web: not rendered; helm | probewright check -',
    ],
    [
      'a template is passed over',
      { passedOver: [{ file: 'b.yaml', reason: 'template' }] },
      'no workload is judged, and not all inputs could be read',
    ],
    ['a manifest is broken', { problems: [problem] }, 'no workload is judged, and not all inputs could be read'],
  ] as const)('are no success where %s', (_what, unread, message) => {
    expect(told(SERVICE, unread)).toEqual([`dir: ${message}`, `<stdin>: ${message}`]);
    expect(told('# none\n', unread)).toEqual([
      `dir: ${message.replace('no workload is checked', 'nothing is checked')}`,
      `<stdin>: ${message.replace('no workload is checked', 'nothing is checked')}`,
    ]);
    expect(told(POD, unread)).toEqual([]);
  });

  it('have one reason for which nothing is checked: a note before others', () => {
    const notes = [{ why: 'a component' }, { why: 'chart web: not rendered', command: 'helm' }];
    const reasonOf = (unread: Partial<ReadTexts>) =>
      new Set(told('# none\n', unread).map((line) => line.replace(/^\S+ /, '')));
    expect(reasonOf({ notes, unchecked: ['x'] })).toEqual(new Set(['nothing is checked: a component']));
    expect(reasonOf({ unchecked: ['x', 'y'] })).toEqual(new Set(['nothing is checked: x']));
  });

  it('are a success where everything could be read', () => {
    expect(told(SERVICE)).toEqual([]);
    expect(told(SERVICE, { passedOver: [{ file: 'b.yaml', reason: 'object' }] })).toEqual([]);
    expect(told(SERVICE, { notes: [{ why: 'a library' }] })).toEqual([]);
  });

  it('are told for each input without an object', () => {
    const nothing = 'has no Kubernetes object, so nothing is checked';
    expect(told('# none\n')).toEqual([`dir: ${nothing}`, `<stdin>: ${nothing}`]);
  });

  it('say nothing beside an input that has this exit code already', () => {
    expect(told('# none\n', { problems: [{ ...problem, isFound: false }] })).toEqual(['dir/b.yaml: no']);
  });
});

it('the first line of the summary says how many charts and kustomizations are left out', () => {
  const lineOf = (leftOut?: ReadTexts['leftOut']): string =>
    totalsOf(shownReport(reportOf(POD, { leftOut }), NOTHING_LEFT_OUT)).split(':')[0] ?? '';
  expect(lineOf()).toBe('1 workload in 1 object');
  expect(lineOf(CHART)).toBe('1 workload in 1 object, 1 chart left out');
  expect(lineOf({ charts: 0, kustomizations: 2 })).toBe('1 workload in 1 object, 2 kustomizations left out');
  expect(lineOf({ charts: 2, kustomizations: 1 })).toBe(
    '1 workload in 1 object, 2 charts and 1 kustomization left out',
  );
  expect(reportOf(POD, { leftOut: CHART }).summary.leftOut).toEqual({ charts: 1, kustomizations: 0 });
  expect(reportOf(POD, {}).summary).not.toHaveProperty('leftOut');
});
