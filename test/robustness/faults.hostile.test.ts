import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { certificateFiles } from '../../src/webhook/certificates/certificate-files.ts';
import { createLogger } from '../../src/process/log.ts';
import { startServer, type RunningServer } from '../../src/webhook/serve.ts';
import { makeServingPair } from '../support/certificate.ts';
import { TcpForwarder } from '../e2e/tcp-forwarder.ts';
import { expectValidReply } from '../support/protocol.ts';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { REVIEW, UID, ask, askHealth, collect, keepAlive, requestBytes, tls } from './client.ts';
import { readable, report } from './figures.ts';
import { POLICY, Program, type ProgramOptions } from './program.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';

const start = (options: ProgramOptions = {}): Promise<Program> => Program.startForTest(options);
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(what: string, holds: () => Promise<boolean> | boolean, seconds = 15): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > seconds * 1000) throw new Error(`gave up waiting until ${what}`);
    await pause(30);
  }
  return performance.now() - began;
}

const readyz = async (program: { healthPort: number }): Promise<{ code: number; text: string }> => {
  const { code, body } = await askHealth(program.healthPort, '/readyz');
  return { code, text: body };
};

/** Asks and holds the reply to the protocol: three probes for the one container, as the policy that was in force at the start says. */
async function expectRight(port: number, call: Parameters<typeof ask>[1] = {}): Promise<void> {
  const { code, body } = await ask(port, call);
  expect(code).toBe(200);
  expect(expectValidReply('mutate', UID, JSON.parse(body)).patch).toHaveLength(4);
}

/** Lists of eight of the list before. */
function aliasBomb(levels: number): string {
  const lines = ['k0: &a0 [x]'];
  for (let level = 1; level <= levels; level += 1) lines.push(`k${level}: &a${level} [${`*a${level - 1},`.repeat(8)}]`);
  return lines.join('\n');
}

describe('a policy directory', () => {
  /** Something else in place of the directory, or of its policy. */
  const replaced =
    (make: (path: string) => Promise<unknown>, file = '') =>
    async (directory: string) => {
      await rm(join(directory, file), { recursive: true });
      await make(join(directory, file));
    };
  const written =
    (content: string | Buffer) =>
    (directory: string): Promise<void> =>
      writeFile(join(directory, 'all.yaml'), content);
  const faults: Readonly<Record<string, (directory: string) => Promise<unknown>>> = {
    'is gone': (directory) => rm(directory, { recursive: true }),
    'is a file': replaced((path) => writeFile(path, 'x')),
    'is a link to itself': replaced((path) => symlink(path, path)),
    'has a link to nowhere for a policy': replaced((path) => symlink('/nowhere', path), 'all.yaml'),
    'has a directory for a policy': async (directory) => {
      await replaced(mkdir, 'all.yaml')(directory);
      await writeFile(join(directory, 'x.yaml'), '{');
    },
    'has half a policy': written(POLICY.slice(0, 120)),
    'has bytes for a policy': written(Buffer.from([0xff, 0xfe, 0, 1, 0xd8])),
    'has an alias bomb for a policy': written(aliasBomb(8)),
    // What a full disk leaves of a file that is written anew.
    'is on a full disk': written('apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePol'),
  };

  it('that goes wrong in any way leaves the last good policies in force, and counts again once it is mended', async () => {
    const program = await start({ args: ['--log-level', 'error'] });
    const directory = join(program.directory, 'policies');
    for (const fault of Object.values(faults)) {
      await fault(directory);
      await until('the fault is told', async () => /"problems":\["/.test((await readyz(program)).text));
      await expectRight(program.port);
      expect((await readyz(program)).code).toBe(200);
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory);
      await writeFile(join(directory, 'all.yaml'), POLICY);
      await until('it is well again', async () => !/"problems":\["/.test((await readyz(program)).text));
    }
    report(
      'Faults',
      'policy directory gone, a file, a loop, half written, bytes, a bomb, full disk',
      `${Object.keys(faults).length} faults: last good policies in force, ready throughout`,
    );
  }, 120_000);

  it('that cannot be read or written to is no hindrance while it says what it said', async () => {
    const program = await start({ args: ['--log-level', 'error'] });
    const directory = join(program.directory, 'policies');
    await chmod(join(directory, 'all.yaml'), 0o444);
    await chmod(directory, 0o555);
    await pause(1000);
    await expectRight(program.port);
    await chmod(directory, 0);
    await pause(1500);
    // To root nothing is unreadable; to anybody else the last good set counts.
    await expectRight(program.port);
    expect((await readyz(program)).code).toBe(200);
    await chmod(directory, 0o755);
    report('Faults', 'policy directory read-only, then unreadable', 'answers right, ready throughout');
  });
});

async function expectEnd({ process: server }: Program): Promise<void> {
  server.kill('SIGTERM');
  await until('the server has ended', () => server.exitCode !== null);
  expect(server.exitCode).toBe(0);
}

describe('a full disk', () => {
  it('below the log does not end the server: it answers on', async () => {
    const full = openSync('/dev/full', 'w');
    const program = await start({ stdout: full });
    closeSync(full);
    for (let count = 0; count < 200; count += 1) await expectRight(program.port);
    expect(program.process.exitCode).toBeNull();
    await expectEnd(program);
    report('Faults', 'standard output on a full disk (ENOSPC at every line)', '200 requests answered, ends at SIGTERM');
  });

  it('or a reader of the log that goes away does not end the server either', async () => {
    const program = await start();
    program.process.stdout?.destroy();
    for (let count = 0; count < 200; count += 1) await expectRight(program.port);
    expect(program.process.exitCode).toBeNull();
    await expectEnd(program);
    report('Faults', 'reader of the log gone (EPIPE at every line)', '200 requests answered, ends at SIGTERM');
  });

  it('or a reader that goes away while nothing is said keeps no process from its end', async () => {
    const program = await start();
    program.process.stdout?.destroy();
    await expectEnd(program);
  });
});

describe('certificate files', () => {
  it('that are half written at any byte, mismatched or empty are never served, and the next good pair is', async () => {
    const program = await start({ args: ['--log-level', 'error'] });
    const [first, second] = await Promise.all([
      makeServingPair({ commonName: 'first' }),
      makeServingPair({ commonName: 'second' }),
    ]);
    const files = { cert: join(program.directory, 'watched.crt'), key: join(program.directory, 'watched.key') };
    const write = async (cert: string, key: string): Promise<void> => {
      await writeFile(files.key, key);
      await writeFile(files.cert, cert);
    };
    await write(first.certPem, first.keyPem);
    const served: string[] = [];
    let told = 0;
    const source = certificateFiles(files.cert, files.key, 2);
    await source.start({ changed: ({ cert }) => served.push(cert), failed: () => (told += 1) });
    let bad = 0;
    const halves = [0, 1, 27, 28, 100, 300, second.certPem.length - 30, second.certPem.length - 2];
    for (const length of halves)
      for (const [cert, key] of [
        [second.certPem.slice(0, length), second.keyPem],
        [second.certPem, second.keyPem.slice(0, length % second.keyPem.length)],
        [second.certPem, first.keyPem],
        [second.keyPem, second.certPem],
        ['', ''],
      ] as const) {
        await write(cert, key);
        await pause(8);
        bad += 1;
      }
    await write(second.certPem, second.keyPem);
    await until('the good pair is taken', () => served.at(-1) === second.certPem);
    source.stop();
    // A certificate whose last line end is missing is whole; nothing else may be served but the two pairs.
    expect(new Set(served.map((cert) => cert.trim()))).toEqual(
      new Set(
        [...(served.length > 1 ? [first.certPem.trim()] : []), second.certPem.trim()].filter((cert) =>
          served.some((one) => one.trim() === cert),
        ),
      ),
    );
    expect(told).toBeGreaterThan(0);
    report(
      'Faults',
      'certificate files half written, mismatched, swapped, empty',
      `${bad} bad states, none served; the next good pair is`,
    );
  });

  it('that change in every way under calls cost no call', async () => {
    const program = await start({ args: ['--log-level', 'error'] });
    const [cert, key] = [join(program.directory, 'tls.crt'), join(program.directory, 'tls.key')];
    const [expired, fresh] = await Promise.all([
      makeServingPair({ notBefore: new Date(Date.now() - 2e8), notAfter: new Date(Date.now() - 1e8) }),
      makeServingPair(),
    ]);
    let calls = 0;
    const stopping = new AbortController();
    const calling = (async () => {
      // Fewer new connections than an address may open in a second.
      for (; !stopping.signal.aborted; await pause(5), calls += 1) await expectRight(program.port);
    })();
    await writeFile(cert, fresh.certPem.slice(0, 200));
    await until('a problem is told', async () => (await readyz(program)).text.includes('not PEM'));
    expect((await readyz(program)).code).toBe(200);
    await writeFile(cert, fresh.certPem);
    await until('a mismatch is told', async () => (await readyz(program)).text.includes('do not belong together'));
    await writeFile(key, expired.keyPem);
    await writeFile(cert, expired.certPem);
    await until('an expired pair makes it not ready', async () => (await readyz(program)).code === 503);
    await writeFile(key, fresh.keyPem);
    await writeFile(cert, fresh.certPem);
    await until('it is ready again', async () => (await readyz(program)).code === 200);
    stopping.abort();
    await calling;
    report(
      'Faults',
      'half a certificate, a mismatch, an expired pair, a good one, under calls',
      `${calls} calls, none failed; not ready only while expired`,
    );
  });
});

describe('a clock', () => {
  it('that jumps by years either way changes what is ready and nothing that is answered', async () => {
    const program = await start();
    let skew = 0;
    const config = {
      policies: join(program.directory, 'policies'),
      host: '127.0.0.1',
      port: 0,
      healthPort: 0,
      tlsCert: join(program.directory, 'tls.crt'),
      tlsKey: join(program.directory, 'tls.key'),
      clientCa: undefined,
      clientNames: [],
      enforcement: 'Deny',
      mutation: 'On',
      controllers: DEFAULT_TRUSTED_CONTROLLERS,
      logLevel: 'silent',
      workloadKinds: undefined,
      drainSeconds: 0,
      cluster: undefined,
    } as const;
    const server: RunningServer = await startServer(config, {
      notice: () => undefined,
      log: createLogger('silent', { write: () => undefined }),
      now: () => Date.now() + skew,
      monotonic: () => performance.now(),
    });
    const year = 365 * 86_400_000;
    const codes: number[] = [];
    for (const jump of [0, 10 * year, -10 * year, 100 * year, -56 * year, 3_600_000, 0]) {
      skew = jump;
      codes.push((await readyz(server)).code);
      await expectRight(await server.port);
      expect((await askHealth(server.healthPort, '/metrics')).code).toBe(200);
    }
    await server.stop(0);
    expect(codes).toEqual([200, 503, 200, 503, 200, 200, 200]);
    report(
      'Faults',
      'wall clock jumps by -56 to +100 years',
      'all answers right; not ready only past the end of the certificate',
    );
  });
});

describe('an event loop that stands still', () => {
  it('for three seconds fails no call that is on its way, and is over when it is over', async () => {
    const program = await start({ args: ['--log-level', 'error'] });
    const agents = Array.from({ length: 20 }, () => keepAlive());
    await Promise.all(agents.map((agent) => expectRight(program.port, { agent })));
    program.stall(3000);
    const began = performance.now();
    await Promise.all(agents.map((agent) => expectRight(program.port, { agent })));
    const stood = performance.now() - began;
    const after = performance.now();
    await expectRight(program.port);
    const next = performance.now() - after;
    for (const agent of agents) agent.destroy();
    expect(next).toBeLessThan(1000);
    report(
      'Faults',
      'event loop stalled for 3 s with 20 calls on their way',
      `all answered after ${readable(stood)}, the next one in ${readable(next)}`,
    );
  });
});

describe('a process without memory', () => {
  it('answers or ends, and does not hang', async () => {
    const program = await start({ nodeArgs: ['--max-old-space-size=48'], args: ['--log-level', 'silent'] });
    const big = JSON.stringify(
      reviewOf(
        pod([
          appContainer({
            env: Array.from({ length: 2000 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(2000) })),
          }),
        ]),
      ),
    );
    const began = performance.now();
    let failed = 0;
    let answered = 0;
    const flood = Promise.all(
      Array.from({ length: 30 }, async () => {
        for (let round = 0; round < 3; round += 1)
          await ask(program.port, { body: big }).then(
            () => (answered += 1),
            () => (failed += 1),
          );
      }),
    );
    const outcome = await Promise.race([
      program.exited.then(({ code, signal }) => `ended with ${signal ?? `code ${String(code)}`}`),
      flood.then(async () => {
        const alive = await Promise.race([expectRight(program.port).then(() => true), pause(5000).then(() => false)]);
        return alive ? 'goes on' : 'hangs';
      }),
      pause(60_000).then(() => 'hangs'),
    ]);
    const took = performance.now() - began;
    await flood;
    expect(outcome).not.toBe('hangs');
    report(
      'Faults',
      'heap of 48 MiB under 30 callers with 4 MiB each',
      `${outcome} within ${readable(took)}; ${answered} answered, ${failed} not`,
    );
  }, 120_000);

  it('ends by itself when there is no way on, so that Kubernetes starts another', async () => {
    // The program takes 20 MiB of it, and the objects of one such body, which is not refused, 40.
    const program = await start({ nodeArgs: ['--max-old-space-size=32'], args: ['--log-level', 'silent'] });
    const objects = Array.from({ length: 95_000 }, () => ({ 33: 0 }));
    const body = JSON.stringify(reviewOf(pod([appContainer({ objects })])));
    const began = performance.now();
    const calls = Promise.allSettled(Array.from({ length: 8 }, () => ask(program.port, { body })));
    const end = await Promise.race([program.exited, pause(30_000).then(() => 'hangs' as const)]);
    const took = performance.now() - began;
    if (end === 'hangs') program.process.kill('SIGKILL');
    await calls;
    expect(end).not.toBe('hangs');
    // No exit that could be taken for one on purpose.
    expect(end).not.toMatchObject({ code: 0 });
    expect(program.output()).toContain('heap out of memory');
    const how = end === 'hangs' ? end : (end.signal ?? `code ${String(end.code)}`);
    report(
      'Faults',
      'heap of 32 MiB under 8 callers with 95,000 objects each',
      `ended with ${how} after ${readable(took)}`,
    );
  }, 60_000);
});

describe('SIGTERM', () => {
  const drain = ['--drain-seconds', '1', '--log-level', 'error'];
  const whole = requestBytes(REVIEW);
  const headerEnd = whole.indexOf('\r\n\r\n') + 4;

  it.each([
    ['before the first byte', 0],
    ['in the request line', 10],
    ['in the headers', Math.floor(headerEnd / 2)],
    ['between headers and body', headerEnd],
    ['in the body', headerEnd + 200],
    ['before the last byte', whole.length - 1],
  ])('%s of a request does not cost the answer', async (_where, sent) => {
    const program = await start({ args: drain });
    const socket = await tls(program.port);
    socket.write(whole.slice(0, sent));
    await pause(100);
    program.process.kill('SIGTERM');
    await pause(300);
    socket.write(whole.slice(sent));
    const { text, ended } = await collect(socket, 8000);
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(ended).toBe(true);
    expect(await program.exited).toEqual({ code: 0, signal: null });
  });

  it('while 40 decisions are made and answers are on their way does not cost one', async () => {
    // On a busy machine, 40 decisions take longer than a second.
    const program = await start({ args: ['--drain-seconds', '3', '--log-level', 'error'] });
    const big = JSON.stringify(
      reviewOf(pod(Array.from({ length: 250 }, (_, index) => appContainer({ name: `c${index}` })))),
    );
    const agents = Array.from({ length: 40 }, () => keepAlive());
    await Promise.all(agents.map((agent) => expectRight(program.port, { agent })));
    const asked = agents.map((agent) => ask(program.port, { agent, body: big }));
    await pause(60);
    program.process.kill('SIGTERM');
    for (const { code, body } of await Promise.all(asked)) {
      expect(code).toBe(200);
      expectValidReply('mutate', UID, JSON.parse(body));
    }
    for (const agent of agents) agent.destroy();
    expect((await program.exited).code).toBe(0);
  });

  it('while an answer is read slowly does not cut it short', async () => {
    const program = await start({ args: ['--drain-seconds', '2', '--log-level', 'error'] });
    const big = JSON.stringify(
      reviewOf(pod(Array.from({ length: 4000 }, (_, index) => appContainer({ name: `c${index}` })))),
    );
    const socket = await tls(program.port);
    socket.pause();
    socket.write(requestBytes(big));
    await pause(1500);
    program.process.kill('SIGTERM');
    await pause(500);
    socket.resume();
    const { text } = await collect(socket, 1500);
    const end = text.indexOf('\r\n\r\n');
    const [head, body] = [text.slice(0, end), text.slice(end + 4)];
    expect(body.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    socket.destroy();
    expect((await program.exited).code).toBe(0);
  });

  it('ends the process in time, whoever is still connected', async () => {
    const program = await start({ args: drain });
    const idle = await Promise.all(Array.from({ length: 20 }, () => tls(program.port)));
    for (const socket of idle) socket.write(whole.slice(0, 150));
    const began = performance.now();
    program.process.kill('SIGTERM');
    expect((await program.exited).code).toBe(0);
    const took = performance.now() - began;
    for (const socket of idle) socket.destroy();
    expect(took).toBeLessThan(8000);
    report(
      'Faults',
      'SIGTERM at nine moments of a request, and with 20 half requests open',
      `every whole request answered; ended ${readable(took)} after it, with a drain of 1 s`,
    );
  });
});

describe('kill -9 of one of two replicas', () => {
  it('under load fails only calls that were on their way to it', async () => {
    const replicas = await Promise.all([
      start({ args: ['--log-level', 'silent'] }),
      start({ args: ['--log-level', 'silent'] }),
    ]);
    const [killed] = replicas;
    let next = 0;
    const forwarder = new TcpForwarder(() => {
      const alive = replicas.filter(({ process }) => !process.killed);
      return { host: '127.0.0.1', port: alive[next++ % alive.length]?.port ?? 0 };
    });
    const port = await forwarder.listen(0);
    const failures: string[] = [];
    let calls = 0;
    const stopping = new AbortController();
    const clients = Array.from({ length: 16 }, async () => {
      const agent = keepAlive();
      for (; !stopping.signal.aborted; calls += 1)
        await expectRight(port, { agent }).catch((error: unknown) => failures.push(String(error)));
      agent.destroy();
    });
    await pause(1500);
    const before = calls;
    expect(failures).toEqual([]);
    const connected = forwarder.connectionsTo(killed.port);
    killed.process.kill('SIGKILL');
    await pause(3000);
    stopping.abort();
    await Promise.all(clients);
    await forwarder.stop();
    // One call at a time is on a connection.
    expect(failures.length).toBeLessThanOrEqual(connected);
    expect(calls).toBeGreaterThan(before + 100);
    report(
      'Faults',
      'kill -9 of one of two replicas under 16 callers',
      `${calls} calls, ${failures.length} failed, ${connected} connections were open to the killed one`,
    );
  }, 60_000);
});

it('a policy directory that is renamed away and back under calls costs no call', async () => {
  const program = await start({ args: ['--log-level', 'error'] });
  const directory = join(program.directory, 'policies');
  let calls = 0;
  const stopping = new AbortController();
  const calling = (async () => {
    // Fewer new connections than an address may open in a second.
    for (; !stopping.signal.aborted; await pause(5), calls += 1) await expectRight(program.port);
  })();
  for (let round = 0; round < 10; round += 1) {
    await rename(directory, `${directory}-away`);
    await pause(100);
    await rename(`${directory}-away`, directory);
    await pause(100);
  }
  stopping.abort();
  await calling;
  report('Faults', 'policy directory renamed away and back, ten times, under calls', `${calls} calls, none failed`);
});
