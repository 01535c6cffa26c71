import { expect, it } from 'vitest';
import { SUCCESS, failure, type Answer } from '../../../src/cli/try/answer.ts';
import { causeOfAnswer, diagnosis, edit, remedyFor, replaced, type Look } from '../../../src/cli/try/diagnosis.ts';

const error = (text: string, result: Answer['result'] = 'error', code?: number): Answer => ({
  ...failure(text, code),
  result,
});

it('a plain success has no cause', () => {
  expect(causeOfAnswer(SUCCESS)).toBeUndefined();
});

it('a success with a long answer has a cause', () => {
  expect(causeOfAnswer({ ...SUCCESS, isLong: true })).toBe('body-over-10-kib');
});

it.each(['/login', '/log-on', '/users/sign_in', '/oauth2/start', '/session/new', '/app/sso'])(
  'a redirect to %s is a login page, whatever its length',
  (path) => {
    expect(causeOfAnswer({ ...SUCCESS, isLong: true, redirectedTo: `http://10.0.0.1${path}` })).toBe('login-page');
  },
);

it.each(['/ready', '/logins', '/ready?next=/login', '/catalogin'])('a redirect to %s is no login page', (path) => {
  expect(causeOfAnswer({ ...SUCCESS, redirectedTo: `http://10.0.0.1${path}` })).toBeUndefined();
});

it('a warning is a redirect to another host, if it has a Location', () => {
  expect(causeOfAnswer({ result: 'warning', text: '' })).toBe('redirect-other-host');
  expect(causeOfAnswer({ result: 'warning', text: '', isNoRedirect: true })).toBe('http-3xx');
});

it('an answer that breaks off behind its head is unclear', () => {
  expect(causeOfAnswer(error('unexpected EOF', 'failed-error'), 'httpGet')).toBe('unclear');
});

it.each([
  ['Internal', 'grpc-error'],
  ['Unavailable', 'grpc-error'],
  ['ResourceExhausted', 'rate-limit'],
  ['NotFound', 'grpc-service-unknown'],
])('a gRPC server has answered with the code %s: %s', (code, cause) => {
  const text = `error: health rpc probe failed: rpc error: code = ${code} desc = x`;
  expect(causeOfAnswer(failure(text), 'grpc')).toBe(cause);
});

it('a redirect to https that is refused is told as the redirect', () => {
  const text = 'Get "https://10.0.0.1/": dial tcp 10.0.0.1:443: connect: connection refused';
  const answer = { ...failure(text), redirectedTo: 'https://10.0.0.1/' };
  expect(causeOfAnswer(answer, 'httpGet')).toBe('redirect-https');
});

it('the text of an odd answer is no output of a command', () => {
  expect(causeOfAnswer(failure('odd'), 'httpGet')).toBe('unclear');
  expect(causeOfAnswer(failure('odd', 1), 'exec')).toBe('command-failed');
});

it.each([126, 127])('the exit code %d of a command says that there is no such program', (code) => {
  expect(causeOfAnswer(failure('odd', code), 'exec')).toBe('executable-not-found');
});

it('a command that cannot be started is not found', () => {
  expect(causeOfAnswer(error('odd'), 'exec')).toBe('executable-not-found');
});

it('what a command prints about its own time is no timeout of the probe', () => {
  const text = 'command timed out: "sleep 5" timed out after 1s';
  expect(causeOfAnswer(failure(text), 'exec')).toBe('timeout');
  expect(causeOfAnswer(failure(text, 1), 'exec')).toBe('command-failed');
});

it.each(['Unauthenticated', 'PermissionDenied'])('a health service with the code %s asks for credentials', (code) => {
  const answer = failure(`error: health rpc probe failed: rpc error: code = ${code} desc = x`);
  expect(remedyFor('grpc-unhealthy', answer)).toMatch(/^The health service asks for credentials/);
});

it('causes that only a question tells have remedies of their own, and the others those of the rule', () => {
  expect(remedyFor('slow')).toBe('Make the endpoint faster, or set a larger timeoutSeconds.');
  expect(remedyFor('http-404')).not.toBe('');
});

it('a diagnosis without edits has the cause of the look', () => {
  expect(diagnosis({ cause: 'slow' }, 'Wait.')).toEqual({ cause: 'slow', remedy: 'Wait.', edits: [] });
});

it('the words of a missing program are unclear in an answer of HTTP', () => {
  const text = 'executable file not found in $PATH';
  expect(causeOfAnswer(failure(text), 'exec')).toBe('executable-not-found');
  expect(causeOfAnswer(failure(text), 'httpGet')).toBe('unclear');
});

const look = {
  planned: {
    handler: { kind: 'httpGet' },
    probe: 'livenessProbe',
    container: { place: { path: () => ['spec', 'containers', 0] } },
  },
} as unknown as Look;

it('an edit names the field below the probe of the container', () => {
  expect(edit(look, ['httpGet', 'path'], '/ready')).toEqual({
    path: 'spec.containers[0].livenessProbe.httpGet.path',
    value: '/ready',
  });
});

it('a handler is replaced by two edits: the old one goes, and the new one comes', () => {
  const probe = 'spec.containers[0].livenessProbe';
  expect(replaced(look, { tcpSocket: { port: 80 } })).toEqual([
    { path: `${probe}.httpGet`, value: null },
    { path: `${probe}.tcpSocket`, value: { port: 80 } },
  ]);
});

it('an answer that is not complete in time is late, not unclear', () => {
  const text = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';
  expect(causeOfAnswer(error(text, 'failed-error'), 'httpGet')).toBe('timeout');
});
