import { describe, expect, it } from 'vitest';
import {
  FINDING_ACTIONS,
  VERDICTS,
  causesInWords,
  findingsInWords,
  lackingPods,
  levelOf,
  shortestGuarantee,
  verdictOfAction,
} from '../../../src/explain/fleet-page/verdicts.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { explainedPod, finding } from '../explained-workloads.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const failing = (cause?: string): { name: string; message: string; pods: number; cause?: string } => ({
  ...{ name: 'probe-failing', message: 'fails', pods: 1 },
  ...(cause !== undefined && { cause }),
});
const missed = (pods: number): { name: string; message: string; pods: number } => ({
  ...{ name: 'missed-pods', message: 'lack', pods },
});

describe('the state of a workload', () => {
  const state = (actions: readonly Parameters<typeof finding>[0][], live: Parameters<typeof lackingPods>[0] = []) =>
    VERDICTS[levelOf({ violations: actions.map((action) => finding(action)), live })]?.label;

  it.each([
    ['Denied', ['Warn', 'Deny', 'Excepted']],
    ['Warned', ['Audit', 'Warn']],
    ['Noted', ['Excepted', 'Audit']],
    ['Excepted', ['Excepted']],
    ['Clean', []],
  ] as const)('is %s by its worst finding', (label, actions) => expect(state(actions)).toBe(label));

  it('is Failing where one of its Pods fails, whatever admission says', () => {
    expect(state(['Deny'], [missed(1), failing()])).toBe('Failing');
    expect(state([], [{ ...failing(), name: 'container-failing' }])).toBe('Failing');
  });

  it('does not fail where Pods only lack probes', () => expect(state(['Warn'], [missed(3)])).toBe('Warned'));

  it('has a name, a tone and a meaning, from worst to best', () =>
    expect(VERDICTS).toEqual([
      { label: 'Failing', tone: 'fail', meaning: 'failing now' },
      { label: 'Denied', tone: 'deny', meaning: 'denied when created', noun: 'denial' },
      { label: 'Warned', tone: 'warn', meaning: 'with warnings', noun: 'warning' },
      { label: 'Noted', tone: 'note', meaning: 'with notes only', noun: 'note' },
      { label: 'Excepted', tone: 'excepted', meaning: 'with exceptions only', noun: 'excepted finding' },
      { label: 'Clean', tone: 'clean', meaning: 'without findings' },
    ]));

  it('of an action is the state that a finding with the action gives', () =>
    expect(FINDING_ACTIONS.map((action) => verdictOfAction(action).label)).toEqual([
      'Denied',
      'Warned',
      'Noted',
      'Excepted',
    ]));
});

describe('why Pods fail, in words', () => {
  it('is each cause once, at most three, and the name of the rule without a cause', () => {
    expect(causesInWords([failing('http-404'), failing('http-404'), failing()])).toBe('http-404, probe-failing');
    expect(causesInWords(['a', 'b', 'c', 'd'].map(failing))).toBe('a, b, c');
  });

  it('leaves out what lacks probes only', () => expect(causesInWords([missed(2)])).toBe(''));

  it('cuts a cause of more than 40 characters', () => {
    expect(causesInWords([failing('x'.repeat(40))])).toBe('x'.repeat(40));
    expect(causesInWords([failing('x'.repeat(41))])).toBe(`${'x'.repeat(37)}...`);
  });
});

it('Pods that lack probes are counted over all findings, without Pods that fail', () =>
  expect(lackingPods([missed(2), failing(), missed(3)])).toBe(5));

it('findings in words are a number for each level, worst first', () => {
  const words = (...actions: Parameters<typeof finding>[0][]): string =>
    findingsInWords(actions.map((action) => finding(action)));
  expect(words('Warn', 'Deny', 'Warn', 'Excepted', 'Audit')).toBe(
    '1 denial (named-port), 2 warnings, 1 note, 1 excepted finding',
  );
  expect(words()).toBe('');
  const denied = (...checks: string[]): string => findingsInWords(checks.map((check) => ({ action: 'Deny', check })));
  expect(denied('b', 'a', 'b')).toBe('3 denials (b, a)');
  expect(denied('a', 'b', 'c', 'd')).toBe('4 denials (a, b, c, …)');
});

describe('the shortest guaranteed start', () => {
  const liveness = (failureThreshold: number): JsonObject => ({ livenessProbe: httpProbe({ failureThreshold }) });

  it('is that of the container with the least time', () => {
    expect(shortestGuarantee(explainedPod([liveness(6), liveness(3), {}]))).toBe(20);
    expect(shortestGuarantee(explainedPod([liveness(3), liveness(6)]))).toBe(20);
  });

  it('is endless where no probe limits any start', () =>
    expect(shortestGuarantee(explainedPod([{}, { readinessProbe: httpProbe() }]))).toBe(Infinity));

  it('is not known where one of the containers has a probe that cannot work', () => {
    const broken = { livenessProbe: httpProbe({ httpGet: { host: 'localhost', port: 8080 } }) };
    const explained = explainedPod([liveness(3), broken]);
    expect(explained.containers[1]?.unknown).toContain('starts');
    expect(shortestGuarantee(explained)).toBeUndefined();
  });
});
