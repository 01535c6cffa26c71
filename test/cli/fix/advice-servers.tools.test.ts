import { writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeServingPair } from '../../support/certificate.ts';
import { closedPort } from '../try/probe-servers.ts';
import { advised, Container, isMissing, programPath, results, signal, until } from './real-servers.ts';

/** The user of a server that refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
/** The second has the advice of notes, too: all that `fix --advice` can write. */
const LEVELS = ['warning', 'note'] as const;
const PASS = { liveness: 'passes', readiness: 'passes' };
const FAIL = { liveness: 'fails', readiness: 'fails' };

let inside: Container;
let port: number;
beforeEach(async () => {
  inside = new Container();
  port = await closedPort();
});
afterEach(() => inside.end());

describe.skipIf(isMissing('redis-server', 'redis-cli'))('Redis, behind the advice of fix', () => {
  const server = (...more: readonly string[]): readonly string[] => [
    ...['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--dir', inside.directory, '--save', ''],
    ...more,
  ];
  const client = (...words: readonly string[]): readonly string[] => ['redis-cli', '-p', String(port), ...words];
  const answers = async (text: string): Promise<boolean> => (await inside.run(client('ping'))).output.startsWith(text);
  const pinged = (more: object, ...words: readonly string[]): object => {
    const probe = { exec: { command: client(...words, 'ping') }, timeoutSeconds: 2 };
    return { image: 'redis:7', livenessProbe: probe, readinessProbe: probe, ...more };
  };

  it('keeps its life while it loads, gets traffic afterwards, and none when it hangs', async () => {
    const first = inside.start(server('--enable-debug-command', 'yes', '--rdbcompression', 'no'));
    await until('the server answers', () => answers('PONG'));
    await inside.run(client('debug', 'populate', '600', 'key', '2000'));
    await inside.run(client('save'));
    await inside.stop(first);

    const container = pinged({});
    const edited = await Promise.all(LEVELS.map((level) => advised(container, level)));
    // A second for ten keys: the file would take a minute.
    const second = inside.start(
      server('--key-load-delay', '100000', '--loading-process-events-interval-bytes', '1024'),
    );
    await until('the server loads', () => answers('LOADING'));
    // As it was written, the probe says that a server without data serves.
    expect(await results(container)).toEqual(PASS);
    for (const one of edited) expect(await results(one)).toEqual({ liveness: 'passes', readiness: 'fails' });
    expect(await answers('LOADING')).toBe(true);
    await inside.run(client('config', 'set', 'key-load-delay', '0'));
    await until('the data is there', () => answers('PONG'));
    for (const one of edited) expect(await results(one)).toEqual(PASS);
    signal(second, 'SIGSTOP');
    expect(await results(edited[0] ?? {})).toEqual(FAIL);
    signal(second, 'SIGCONT');
    await inside.stop(second);
    for (const one of edited) expect(await results(one)).toEqual(FAIL);
  });

  it('gets traffic with a password, which the probe may know or not', async () => {
    inside.start(server('--requirepass', 'hunter2'));
    await until('the server answers', () => answers('NOAUTH'));
    const containers = [
      pinged({ args: ['redis-server', '--requirepass', 'hunter2'] }),
      pinged({ args: ['/etc/redis.conf'] }),
      pinged({ env: [{ name: 'REDIS_PASSWORD', value: 'hunter2' }] }),
      pinged({ args: ['redis-server', '--requirepass', 'hunter2'] }, '-a', 'hunter2'),
      pinged({ args: ['--requirepass', 'hunter2'] }, '--no-auth-warning', '-a', 'hunter2'),
      // redis-cli sends the user of the URL, also an empty one, which does not exist.
      pinged({ args: ['--requirepass', 'hunter2'] }, '-u', `redis://:hunter2@127.0.0.1:${port}`),
      pinged({ args: ['--requirepass', 'hunter2'] }, '-u', `redis://default:hunter2@127.0.0.1:${port}`),
      pinged({ command: ['sh', '-c', 'exec redis-server --requirepass $PW'] }),
      pinged({ env: [{ name: 'REDIS_PW_AUTH', valueFrom: { secretKeyRef: { name: 'redis', key: 'password' } } }] }),
    ];
    for (const container of containers) {
      expect(await results(container)).toEqual(PASS);
      for (const level of LEVELS) expect(await results(await advised(container, level))).toEqual(PASS);
    }
  });
});

describe.skipIf(isMissing('nginx', 'curl', 'wget'))('nginx, behind the advice of fix', () => {
  /** @param servers the text of blocks `server` */
  async function start(servers: string): Promise<void> {
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = places.map((place) => `${place}_temp_path ${inside.directory}/${place};`).join(' ');
    const text = `daemon off; pid ${inside.directory}/pid; events {} http { access_log off; ${paths} ${servers} }`;
    writeFileSync(join(inside.directory, 'nginx.conf'), text);
    inside.start(['nginx', '-p', inside.directory, '-c', 'nginx.conf', '-e', 'stderr']);
    await until('nginx listens', async () => (await inside.run(['curl', '-ks', `127.0.0.1:${port}`])).code === 0);
  }
  const tls = async (): Promise<string> => {
    const { certPem, keyPem } = await makeServingPair();
    writeFileSync(join(inside.directory, 'cert.pem'), certPem);
    writeFileSync(join(inside.directory, 'key.pem'), keyPem);
    return `ssl_certificate cert.pem; ssl_certificate_key key.pem;`;
  };

  it.each(LEVELS)('gets HTTPS at its port with TLS, which answered HTTP with 400 (%s)', async (level) => {
    await start(`server { listen 127.0.0.1:${port} ssl; ${await tls()} location / { return 200; } }`);
    const probe = { httpGet: { path: '/healthz', port: 'https' } };
    const container = { ports: [{ name: 'https', containerPort: port }], livenessProbe: probe, readinessProbe: probe };
    expect(await results(container)).toEqual(FAIL);
    expect(await results(await advised(container, level))).toEqual(PASS);
  });

  it.each(LEVELS)('keeps the scheme of each of its ports where the probes pass (%s)', async (level) => {
    const plain = await closedPort();
    const servers = [`listen 127.0.0.1:${port} ssl; ${await tls()}`, `listen 127.0.0.1:${plain};`];
    await start(servers.map((text) => `server { ${text} location / { return 200; } }`).join(' '));
    const container = {
      ports: [
        { name: 'http', containerPort: plain },
        { name: 'https', containerPort: port },
      ],
      livenessProbe: { httpGet: { path: '/', port: 'http' }, failureThreshold: 1 },
      readinessProbe: { httpGet: { path: '/', port: 'https', scheme: 'HTTPS' } },
    };
    expect(await results(container)).toEqual(PASS);
    expect(await results(await advised(container, level))).toEqual(PASS);
  });

  it.each(LEVELS)('is asked from inside where it listens on 127.0.0.1 only (%s)', async (level) => {
    await start(`server { listen 127.0.0.1:${port}; location / { return 500; } location /up { return 204; } }`);
    const url = `http://127.0.0.1:${port}/up`;
    const container = {
      livenessProbe: { exec: { command: ['curl', '-fsS', url] } },
      readinessProbe: { exec: { command: ['sh', '-c', `wget -q -O /dev/null ${url} || exit 1`] } },
    };
    // The Pod's IP is another address of the loopback, at which nobody listens.
    const podIP = '127.0.0.2';
    const asked = { httpGet: { path: '/up', port } };
    expect(await results({ livenessProbe: asked, readinessProbe: asked }, podIP)).toEqual(FAIL);
    expect(await results(container, podIP)).toEqual(PASS);
    expect(await results(await advised(container, level), podIP)).toEqual(PASS);
  });
});

describe.skipIf(isMissing('mariadbd', 'mariadb-install-db', 'mariadb-admin', 'mysqladmin'))(
  'MariaDB, behind the advice of fix',
  { timeout: 120_000 },
  () => {
    let socket: string;
    let words: readonly string[];
    beforeEach(async () => {
      socket = join(inside.directory, 's');
      const data = join(inside.directory, 'data');
      const base = (programPath('mariadb-install-db') ?? '').replace('/bin/mariadb-install-db', '');
      const plain = ['--no-defaults', `--basedir=${base}`, `--datadir=${data}`];
      const user = process.getuid?.() === 0 ? ['--user=root'] : [];
      const options = ['--skip-test-db', '--auth-root-authentication-method=normal'];
      await inside.run(['mariadb-install-db', ...plain, ...user, ...options]);
      const own = [`--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1', '--log-warnings=4'];
      words = ['mariadbd', ...plain, ...user, ...own, `--log-error=${inside.directory}/log`];
    });
    const admin = (...more: readonly string[]): string[] => [
      ...['mysqladmin', '--no-defaults', '-h', '127.0.0.1', '-P', String(port), ...more],
    ];
    const isUp = async (): Promise<boolean> => (await inside.run(admin('ping'))).code === 0;
    const status = async (name: string): Promise<number> => {
      const { output } = await inside.run(admin('-uroot', 'extended-status'));
      return Number(new RegExp(String.raw`\| ${name} +\| (\d+)`).exec(output)?.[1]);
    };

    it('passes with and without rights, and fails when it is not there, or hangs', async () => {
      const container = {
        image: 'mariadb:11',
        ports: [{ name: 'mysql', containerPort: port }],
        livenessProbe: { exec: { command: admin('-unobody', '-pwrong', 'ping') }, timeoutSeconds: 2 },
        readinessProbe: { exec: { command: ['sh', '-c', `${admin('-uroot', 'ping').join(' ')} | grep -q alive`] } },
      };
      const edited = await Promise.all(LEVELS.map((level) => advised(container, level)));
      for (const one of edited) expect(await results(one)).toEqual(FAIL);
      const child = inside.start(words);
      await until('the server answers', isUp);
      // "Access denied" is an answer: the server lives.
      expect(await results(container)).toEqual(PASS);
      for (const one of edited) expect(await results(one)).toEqual(PASS);
      signal(child, 'SIGSTOP');
      expect(await results({ livenessProbe: edited[0]?.['livenessProbe'] })).toEqual({ liveness: 'fails' });
      signal(child, 'SIGCONT');
      for (const one of edited) expect(await results(one)).toEqual(PASS);
    });

    it('counts a tcpSocket probe as a broken handshake, and mysqladmin ping as none, as the advice says', async () => {
      inside.start(words);
      await until('the server answers', isUp);
      const port3306 = { ports: [{ name: 'mysql', containerPort: port }], image: 'mariadb:11' };
      const tcp = { ...port3306, livenessProbe: { tcpSocket: { port } } };
      const ping = { ...port3306, livenessProbe: { exec: { command: admin('-uroot', 'ping') } } };
      const before = await status('Aborted_connects');
      expect(await results(ping)).toEqual({ liveness: 'passes' });
      expect(await status('Aborted_connects')).toBe(before);
      for (const level of LEVELS) expect(await results(await advised(tcp, level))).toEqual({ liveness: 'passes' });
      await until('the server has counted', async () => (await status('Aborted_connects')) === before + 2);
    });
  },
);

describe.skipIf(isMissing('postgres', 'initdb', 'pg_isready', 'psql'))('PostgreSQL, behind the advice of fix', () => {
  it('passes when it serves, and fails while it recovers, with time enough in the startup probe', async () => {
    chmodSync(inside.directory, 0o777);
    const data = join(inside.directory, 'data');
    const made = await inside.run(['initdb', '-A', 'trust', '-U', 'app', '-N', '-D', data], NOBODY);
    expect(made.code, made.output).toBe(0);
    const question = `pg_isready -h 127.0.0.1 -p ${port} -U app`;
    const select = `psql -h 127.0.0.1 -p ${port} -U app -d postgres -Atc "select 1"`;
    const container = {
      image: 'postgres:15',
      startupProbe: { exec: { command: question.split(' ') }, periodSeconds: 2, failureThreshold: 3 },
      livenessProbe: { exec: { command: question.split(' ') }, periodSeconds: 2, failureThreshold: 1 },
      readinessProbe: { exec: { command: ['sh', '-c', `${question} -q && ${select} | grep -q 1`] } },
    };
    const edited = await Promise.all(LEVELS.map((level) => advised(container, level)));
    const server = ['postgres', '-D', data, '-h', '127.0.0.1', '-k', inside.directory, '-p', String(port)];
    // Recovery waits for the file of another server, and ends when the test has written `arrived`.
    const arrived = join(inside.directory, 'arrived');
    const wait = `while [ ! -e ${arrived} ]; do sleep 0.1; done; false`;
    writeFileSync(join(data, 'recovery.signal'), '');
    inside.start([...server, '-c', `restore_command=${wait}`, '-c', 'hot_standby=off', '-c', 'fsync=off'], NOBODY);
    const asked = async (): Promise<{ readonly output: string }> => await inside.run(question.split(' '));
    await until('the server recovers', async () => (await asked()).output.includes('rejecting connections'));
    expect(await results(container)).toEqual(FAIL);
    for (const one of edited) expect(await results(one)).toEqual(FAIL);
    for (const one of edited) expect(secondsToStart(one)).toBeGreaterThanOrEqual(secondsToStart(container));
    writeFileSync(arrived, '');
    await until('the server serves', async () => (await asked()).output.includes('accepting connections'));
    expect(await results(container)).toEqual(PASS);
    for (const one of edited) expect(await results(one)).toEqual(PASS);

    // Commands from which the advice makes a script, or several words. Only the first passes as it is written.
    const address = ['-h', '127.0.0.1', '-p', String(port)];
    const odd = [
      ['pg_isready', ...address, '-U', '$POSTGRES_USER'],
      [question],
      ['sh', '-c', 'pg_isready', ...address],
    ];
    for (const [at, command] of odd.entries()) {
      const probe = { exec: { command }, timeoutSeconds: 5 };
      const written = { livenessProbe: probe, readinessProbe: probe };
      if (at === 0) expect(await results(written)).toEqual(PASS);
      for (const level of LEVELS) {
        const repaired = await advised(written, level);
        expect(repaired['livenessProbe']).not.toEqual(probe);
        expect(await results(repaired)).toEqual(PASS);
      }
    }
  });
});

/** What a start may take before the startup probe ends it. */
function secondsToStart(container: object): number {
  const { startupProbe } = container as { startupProbe: { periodSeconds?: number; failureThreshold?: number } };
  return (startupProbe.periodSeconds ?? 10) * (startupProbe.failureThreshold ?? 3);
}
