import { describe, expect, it } from 'vitest';
import { NotRun, SUCCESS, type Answer } from '../../../src/cli/try/answer.ts';
import { askProbe, tcpProbe, type Asking } from '../../../src/cli/try/ask.ts';
import { dial, GoError } from '../../../src/cli/try/connection.ts';
import type { Target } from '../../../src/cli/try/target.ts';
import { plannedOne } from './planned.ts';
import { closedPort, h2c, health, http, tcp } from './probe-servers.ts';

/** A target whose ports are those of this machine; its clock goes on by 5 ms with each look. */
function askingOf(more: Partial<Target> = {}, allowsSideEffects = false): Asking {
  let time = 0;
  const target: Target = {
    name: 'web by docker',
    host: '127.0.0.1',
    connect: (port, signal) => dial({ host: '127.0.0.1', port }, { host: '127.0.0.1', port }, signal),
    exec: () => Promise.reject(new NotRun('no exec')),
    isLoopbackOnly: () => Promise.resolve(false),
    ...more,
  };
  return { target, monotonic: () => (time += 5), allowsSideEffects };
}

const ask = (livenessProbe: object, asking = askingOf(), more: object = {}): Promise<Answer | NotRun> =>
  askProbe(plannedOne({ ...more, livenessProbe }), asking);

describe('a command', () => {
  const env = [{ name: 'A', value: 'b' }];
  const calls: unknown[] = [];
  const runs = askingOf({
    exec: (...call) => {
      calls.push(call);
      return Promise.resolve({ code: 3, output: 'no' });
    },
  });

  it('runs in its container with its variables and its time, and has a verdict and a time', async () => {
    const answer = await ask({ exec: { command: ['test', '$(A)'] }, timeoutSeconds: 4 }, runs, { env });
    expect(answer).toEqual({ result: 'failure', text: 'no', code: 3, milliseconds: 5 });
    expect(calls).toEqual([['app', ['test', 'b'], 4000]]);
  });

  it('that may do more than ask is run only where that is allowed', async () => {
    const probe = { exec: { command: ['touch', '/tmp/a'] } };
    expect(await ask(probe, runs)).toEqual(
      new NotRun('the command may have side effects (touch); --allow-side-effects runs it'),
    );
    expect(await ask(probe, { ...runs, allowsSideEffects: true })).toMatchObject({ code: 3 });
  });

  it('is not run where the target cannot run commands; any other error is thrown', async () => {
    const probe = { exec: { command: ['true'] } };
    expect(await ask(probe)).toEqual(new NotRun('no exec'));
    const broken = askingOf({ exec: () => Promise.reject(new Error('broken')) });
    await expect(ask(probe, broken)).rejects.toThrow('broken');
  });
});

describe('an HTTP probe', () => {
  it('asks the path, with the headers of the probe', async () => {
    const seen: unknown[] = [];
    const port = await http((request, response) => {
      seen.push([request.url, request.headers['x-a']]);
      response.end();
    });
    const httpGet = { path: '/live', port, httpHeaders: [{ name: 'X-A', value: 'b' }] };
    expect(await ask({ httpGet })).toEqual({ ...SUCCESS, code: 200, milliseconds: 5 });
    expect(await ask({ httpGet: { port } })).toMatchObject({ code: 200 });
    expect(seen).toEqual([
      ['/live', 'b'],
      ['/', undefined],
    ]);
  });

  it('over HTTPS opens TLS', async () => {
    const answer = await ask({ httpGet: { port: await http(() => undefined), scheme: 'HTTPS' } });
    expect(answer).toMatchObject({ text: expect.stringContaining('server gave HTTP response to HTTPS') as string });
  });

  it('asks no other host than the target, of which a loopback address is another name', async () => {
    const port = await http((_request, response) => response.end());
    expect(await ask({ httpGet: { port, host: '127.0.0.1' } })).toMatchObject(SUCCESS);
    expect(await ask({ httpGet: { port, host: 'localhost' } })).toMatchObject(SUCCESS);
    const refused = new NotRun('the probe asks the host example.com, and try asks nobody but web by docker');
    expect(await ask({ httpGet: { port, host: 'example.com' } })).toEqual(refused);
    const far = askingOf({ host: '10.0.0.1' });
    expect(await ask({ tcpSocket: { port, host: '127.0.0.1' } }, far)).toBeInstanceOf(NotRun);
    expect(await ask({ tcpSocket: { port, host: '10.0.0.1' } }, far)).toMatchObject(SUCCESS);
  });

  it('with a path that acts is run only where that is allowed', async () => {
    const port = await http((_request, response) => response.end());
    const probe = { httpGet: { path: '/actuator/restart', port } };
    expect(await ask(probe)).toEqual(
      new NotRun('the path may have side effects (restart); --allow-side-effects runs it'),
    );
    expect(await ask(probe, askingOf({}, true))).toMatchObject(SUCCESS);
  });

  it('goes in the own way of the target, where it has one', async () => {
    const proxied: Target['proxied'] = ({ path }) =>
      path === '/own' ? () => Promise.resolve({ status: 503, location: undefined, body: [] }) : undefined;
    const port = await http((_request, response) => response.end());
    const own = askingOf({ proxied, prove: () => Promise.reject(new Error('nobody looks')) });
    expect(await ask({ httpGet: { path: '/own', port } }, own)).toMatchObject({ code: 503 });
    expect(await ask({ httpGet: { path: '/', port } }, askingOf({ proxied }))).toMatchObject({ code: 200 });
  });
});

describe('a port that is looked at before', () => {
  const refuses = askingOf({ prove: () => Promise.resolve(new GoError('dial tcp: refused')) });

  it('and refuses, fails each kind of probe with its text, without a connection', async () => {
    const port = await tcp(() => undefined);
    expect(await ask({ httpGet: { port } }, refuses)).toMatchObject({
      text: `Get "http://127.0.0.1:${port}/": dial tcp: refused`,
    });
    expect(await ask({ tcpSocket: { port } }, refuses)).toMatchObject({ text: 'dial tcp: refused' });
    expect(await ask({ grpc: { port } }, refuses)).toMatchObject({
      text: `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`,
    });
  });

  it('and refuses nothing, is asked', async () => {
    const open = askingOf({ prove: () => Promise.resolve(undefined) });
    expect(await ask({ tcpSocket: { port: await tcp(() => undefined) } }, open)).toMatchObject(SUCCESS);
  });
});

it('a gRPC probe asks for its service', async () => {
  const port = await h2c((stream) => {
    stream.once('data', (bytes: Buffer) => health({ serving: bytes.includes('shop') ? 1 : 2 })(stream));
  });
  const times = { timeoutSeconds: 5 };
  expect(await ask({ grpc: { port, service: 'shop' }, ...times })).toMatchObject(SUCCESS);
  expect(await ask({ grpc: { port }, ...times })).toMatchObject({
    text: 'service unhealthy (responded with "NOT_SERVING")',
  });
});

it('a port name that the container does not declare is an error without a question', async () => {
  expect(await ask({ tcpSocket: { port: 'web' } })).toEqual({
    result: 'error',
    text: 'strconv.Atoi: parsing "web": invalid syntax',
    milliseconds: 5,
  });
});

it('a TCP probe closes its connection, and fails with the text of the refusal', async () => {
  const { connect } = askingOf().target;
  const closed = Promise.withResolvers<string>();
  const port = await tcp((socket) => void socket.resume().on('close', () => closed.resolve('closed')));
  expect(await tcpProbe(connect, port, 1000)).toEqual(SUCCESS);
  expect(await closed.promise).toBe('closed');
  const none = await closedPort();
  const text = `dial tcp 127.0.0.1:${none}: connect: connection refused`;
  expect(await tcpProbe(connect, none, 1000)).toEqual({ result: 'failure', text });
  const unasked = tcpProbe(() => Promise.reject(new NotRun('no')), none, 1000);
  await expect(unasked).rejects.toThrow(new NotRun('no'));
});
