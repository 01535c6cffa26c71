import { expect, describe, it } from 'vitest';
import { failureMessage } from '../../../src/observer/failing/failing-results.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { both, fails, kills, observedPod, REFUSED, status, told, toldInCase } from '../observed-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Failure } from '../../../src/observer/failing/diagnosis.ts';

describe.each(['kubelet', 'kills'])('a Pod whose watch shows this is told as: %s', (name) =>
  describeCases(`test/fixtures/failing/${name}.yaml`, ['told'], toldInCase),
);

it('a liveness probe with a wrong path is told without a gap in each second of five restarts (O4)', () => {
  const given: JsonObject[] = [];
  for (let second = 1; second <= 100; second++) {
    const [run, age] = [Math.floor(second / 20), second % 20];
    if (age === 5 || age === 10 || age === 15) given.push(...fails('Liveness', status(404), second));
    if (age === 15) given.push(...kills(second));
    if (age === 16 || age === 18) given.push(...fails('Readiness', REFUSED, second));
    const from = run * 20;
    const last = run === 0 ? {} : { last: [from - 20, from] as const };
    const pod = observedPod(both, {
      runsFrom: from,
      ready: age < 18 && age > 0,
      started: true,
      changedAt: from,
      ...last,
    });
    const expected = second < 10 ? [] : ['livenessProbe http-404'];
    expect(told(pod, given, second), `second ${second}`).toStrictEqual(expected);
  }
});

it('a probe without a result is told with what that means (O5)', () => {
  const of = (probe: Failure['probe'], cause: Failure['cause']): string =>
    failureMessage({ container: 'app', probe, cause, described: undefined, isVoid: true });
  expect(of('livenessProbe', 'executable-not-found')).toBe(
    'container "app": its livenessProbe names a program that the image does not have: it never has a result, and protects nothing',
  );
  expect(of('startupProbe', 'timeout')).toBe(
    'container "app": its startupProbe gets an answer that does not end within timeoutSeconds: it never has a result, and the container never starts',
  );
});
