import { storedPod } from '../../../../src/webhook/review/stored-pod.ts';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../../src/engine/facts/snapshot.ts';
import {
  addTo,
  effectSentence,
  emptySummary,
  planOf,
  type PlanSummary,
} from '../../../../src/engine/verdict/compare/plan.ts';
import { exceptionDocument, withExceptionsInApps } from '../../../support/exceptions.ts';
import { NOW } from '../../../support/now.ts';
import { appContainer, deploymentOf, pod, subjectOf } from '../../../support/worlds.ts';

it('an exception that is cut short denies updates, too, and says so apart from the others', () => {
  const misnamed = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
  const workload = subjectOf(deploymentOf(pod([appContainer(misnamed)])));
  const none = Snapshot.of(CHECK_CATALOGUE, []);
  const workloads = [{ kind: 'Deployment', name: 'random' }];
  const until = (expires: string): Snapshot => withExceptionsInApps(none, [exceptionDocument({ expires, workloads })]);
  const [running, over] = [until('2026-08-01T00:00:00Z'), until('2026-06-01T00:00:00Z')];
  const sentence = (after: Snapshot): string =>
    effectSentence(planOf([workload], running, after, storedPod, NOW).summary);
  expect(sentence(over)).toBe('of 1 workload, 1 would be denied even at updates.');
  expect(sentence(none)).toBe('of 1 workload, 1 would be denied if created again, and warned at updates.');
  expect(sentence(running)).toBe('no effect on 1 workload: no other probes, no new warnings or denials.');
});

describe('the sentence about an effect', () => {
  const none = emptySummary();
  const said = (figures: Partial<PlanSummary>, ...more: [Parameters<typeof effectSentence>[1]?]): string =>
    effectSentence({ ...none, ...figures }, ...more);

  it('tells each figure that is not 0', () =>
    expect(
      effectSentence(
        {
          ...{ workloads: 30, newlyDenied: 5, newlyDeniedAtUpdate: 2, noLongerDenied: 3, newlyWarned: 4 },
          ...{ noLongerWarned: 6, changedProbes: 7, unchanged: 8 },
        },
        undefined,
        (of) => ` (${of})`,
      ),
    ).toBe(
      'of 30 workloads, 3 would be denied if created again, and warned at updates (atCreation); ' +
        '2 would be denied even at updates (atUpdates); 3 would no longer be denied; 4 would get warnings; ' +
        '6 would no longer get warnings; 7 would get other probes at their next rollout; 8 would not change.',
    ));

  it('tells of one workload in the singular, and of other notes where nothing else is told', () => {
    expect(said({ workloads: 1, changedProbes: 1 })).toBe(
      'of 1 workload, 1 would get other probes at its next rollout.',
    );
    expect(said({ workloads: 2 })).toBe('of 2 workloads, 2 would get other notes.');
    expect(said({ workloads: 2, unchanged: 1 })).toBe('of 2 workloads, 1 would get other notes; 1 would not change.');
    expect(said({ workloads: 2, unchanged: 2 })).toBe(
      'no effect on 2 workloads: no other probes, no new warnings or denials.',
    );
  });

  const onlyWarns = ' For now, the server only warns (enforcement Warn).';
  const silent = ' For now, the server neither denies nor warns (enforcement Audit).';
  const noProbes = ' For now, the server adds no probes (mutation Off).';
  it.each<[string, Partial<PlanSummary>, 'Deny' | 'Warn' | 'Audit', 'On' | 'Off', string]>([
    ['denials where it only warns', { newlyDenied: 1 }, 'Warn', 'On', onlyWarns],
    ['no warnings where it warns', { newlyWarned: 1 }, 'Warn', 'On', ''],
    ['denials where it does neither', { newlyDenied: 1 }, 'Audit', 'On', silent],
    ['warnings where it does neither', { newlyWarned: 1 }, 'Audit', 'On', silent],
    ['nothing where there is nothing to deny', { noLongerDenied: 1 }, 'Audit', 'Off', ''],
    ['nothing where it does all', { newlyDenied: 1, newlyWarned: 1, changedProbes: 1 }, 'Deny', 'On', ''],
    ['probes where it adds none', { changedProbes: 1 }, 'Deny', 'Off', noProbes],
    [
      'denials and probes',
      { newlyDenied: 1, changedProbes: 1 },
      'Warn',
      'Off',
      ' For now, the server only warns (enforcement Warn) and adds no probes (mutation Off).',
    ],
  ])('says that the server holds back %s', (_, figures, enforcement, mutation, expected) => {
    const sentence = said({ workloads: 1, ...figures }, { enforcement, mutation });
    expect(sentence.slice(sentence.indexOf('.') + 1)).toBe(expected);
  });
});

describe('the figures of a plan', () => {
  const nothing = { probes: [], violations: [], denied: undefined, deniedAtUpdate: undefined, warned: undefined };
  const change = {} as never;
  it.each([
    ['nothing', {}, ['unchanged']],
    ['other probes', { probes: [change] }, ['changedProbes']],
    ['another note', { violations: [change] }, []],
    ['a denial', { violations: [change], denied: 'new' }, ['newlyDenied']],
    ['a denial at updates', { deniedAtUpdate: 'new' }, ['newlyDenied', 'newlyDeniedAtUpdate']],
    ['the end of a denial', { violations: [change], denied: 'gone' }, ['noLongerDenied']],
    ['a warning', { violations: [change], warned: 'new' }, ['newlyWarned']],
    ['the end of a warning', { violations: [change], warned: 'gone' }, ['noLongerWarned']],
    ['a denial in place of a warning', { violations: [change], warned: 'gone', denied: 'new' }, ['newlyDenied']],
  ])('count %s', (_, outcome, counted) => {
    const counts = emptySummary();
    addTo(counts, { ...nothing, ...outcome } as never);
    const names = Object.entries(counts).flatMap(([name, figure]) => (figure === 0 ? [] : [name]));
    expect(names.sort()).toEqual(['workloads', ...counted].sort());
  });
});
