import { expect, it } from 'vitest';
import {
  codeOf,
  eventMessage,
  failure,
  goDuration,
  hostPort,
  isSuccess,
  socketErrorText,
  utf8,
  type Answer,
} from '../../../src/cli/try/answer.ts';

it.each([
  ['success', ''],
  ['warning', 'Liveness probe warning: text'],
  ['failure', 'Liveness probe failed: text'],
  ['failed-error', 'Liveness probe errored and resulted in failure state: text'],
  ['error', 'Liveness probe errored and resulted in unknown state: text'],
] as const)('the event of a probe with the result "%s" has the words of the kubelet', (result, message) => {
  expect(eventMessage('livenessProbe', { result, text: 'text' })).toBe(message);
});

it('a warning counts as a success, and each failure and error does not', () => {
  const results: readonly Answer['result'][] = ['success', 'warning', 'failure', 'failed-error', 'error'];
  expect(results.filter((result) => isSuccess({ result, text: '' }))).toEqual(['success', 'warning']);
});

it('a failure has a code if there is one, also 0', () => {
  expect(failure('no')).toStrictEqual({ result: 'failure', text: 'no' });
  expect(failure('no', 0)).toStrictEqual({ result: 'failure', text: 'no', code: 0 });
});

it('an IPv6 address before a port has brackets', () => {
  expect(hostPort('::1', 80)).toBe('[::1]:80');
  expect(hostPort('10.0.0.5', 80)).toBe('10.0.0.5:80');
});

it.each([
  [0.3, '0.3s'],
  [59, '59s'],
  [60, '1m0s'],
  [90, '1m30s'],
  [3599, '59m59s'],
  [3600, '1h0m0s'],
  [7385, '2h3m5s'],
])('%d seconds are %s in Go', (seconds, text) => {
  expect(goDuration(seconds)).toBe(text);
});

it('an error of a socket has the words of Go, and any other error its own', () => {
  expect(socketErrorText(Object.assign(new Error('x'), { code: 'EHOSTUNREACH' }))).toBe('no route to host');
  expect(socketErrorText(Object.assign(new Error('x'), { code: 'EODD' }))).toBe('Error: x');
  expect(socketErrorText(new Error('x'))).toBe('Error: x');
});

it('the failures of all addresses of a host have the code of the last one', () => {
  const errors = ['ENETUNREACH', 'ECONNREFUSED'].map((code) => Object.assign(new Error('x'), { code }));
  expect(codeOf(new AggregateError(errors))).toBe('ECONNREFUSED');
  expect(codeOf(Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }))).toBe('ETIMEDOUT');
});

it('what is no error, and a code that is no text, have no code', () => {
  expect(codeOf({ code: 'EPIPE' })).toBeUndefined();
  expect(codeOf(Object.assign(new Error('x'), { code: 5 }))).toBeUndefined();
});

it('bytes that were read as Latin-1 are read as UTF-8', () => {
  expect(utf8('Ã¤')).toBe('ä');
});
