import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProbewright } from '../run-probewright.ts';
import type { TryOutput } from '../../../src/cli/output/json-outputs.ts';

/** Debian keeps the programs of PostgreSQL, and of administrators, outside of the PATH of users. */
const POSTGRES = '/usr/lib/postgresql';
/** RabbitMQ without Debian's wrapper, which starts a session of its own that no signal to the group reaches. */
const RABBITMQ = '/usr/lib/rabbitmq/bin';
const DIRECTORIES = [
  RABBITMQ,
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
  ...(existsSync(POSTGRES) ? readdirSync(POSTGRES).map((version) => join(POSTGRES, version, 'bin')) : []),
];
const programOf = (name: string): string | undefined =>
  DIRECTORIES.map((directory) => join(directory, name)).find((path) => existsSync(path));

/** A real program of the library, on its usual port. */
interface Product {
  /** The file of the library, and the image. */
  readonly name: string;
  readonly image: string;
  readonly program: string;
  readonly port: number;
  /** The name of the port, where the policy asks for one. */
  readonly portName?: string;
  /** Makes what the program needs, and returns its arguments. */
  readonly args: (directory: string, program: string) => readonly string[];
  /** The user of a program that does not run as root. */
  readonly user?: string;
  /** Set for the program. */
  readonly env?: (directory: string) => Readonly<Record<string, string>>;
  /** Ends what the program has started apart from its process group. */
  readonly end?: () => void;
  /** The first version whose endpoints the policy asks, as the program prints it. */
  readonly since?: RegExp;
  /** False where only TCP is asked: the kernel connects for a program that hangs. */
  readonly findsHang: boolean;
}

function fileIn(directory: string, name: string, text: string): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

const PRODUCTS: readonly Product[] = [
  {
    name: 'redis',
    image: 'redis:7',
    program: 'redis-server',
    port: 6379,
    args: (directory) => ['--port', '6379', '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    findsHang: true,
  },
  {
    name: 'memcached',
    image: 'memcached:1.6',
    program: 'memcached',
    port: 11211,
    args: () => ['-u', 'root', '-l', '127.0.0.1', '-p', '11211'],
    findsHang: false,
  },
  {
    name: 'postgres',
    image: 'postgres:15',
    program: 'postgres',
    port: 5432,
    args: (directory, program) => {
      const as = process.getuid?.() === 0 ? ['/usr/sbin/runuser', '-u', 'postgres', '--'] : [];
      const [first, ...rest] = [...as, program.replace(/postgres$/, 'initdb'), '-D', join(directory, 'data')] as const;
      execFileSync(first, rest, { stdio: 'ignore' });
      return ['-D', join(directory, 'data'), '-h', '127.0.0.1', '-k', directory];
    },
    user: 'postgres',
    findsHang: true,
  },
  {
    name: 'mariadb',
    image: 'mariadb:11',
    program: 'mariadbd',
    port: 3306,
    args: (directory) => {
      const data = join(directory, 'data');
      execFileSync('mariadb-install-db', ['--no-defaults', '--user=root', `--datadir=${data}`], { stdio: 'ignore' });
      const socket = `--socket=${join(directory, 's')}`;
      return ['--no-defaults', '--user=root', `--datadir=${data}`, socket, '--bind-address=127.0.0.1'];
    },
    findsHang: true,
  },
  {
    name: 'nginx',
    image: 'nginx:1.27',
    program: 'nginx',
    port: 80,
    args: (directory) => {
      const text = `daemon off; pid ${directory}/pid; events {} http { access_log off; server { listen 127.0.0.1:80; } }`;
      return ['-c', fileIn(directory, 'nginx.conf', text), '-e', 'stderr'];
    },
    findsHang: false,
  },
  {
    name: 'httpd',
    image: 'httpd:2.4',
    program: 'apache2',
    port: 80,
    args: (directory) => {
      const modules = ['mpm_event', 'authz_core'].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`,
      );
      const text = `ServerName localhost\nListen 127.0.0.1:80\nPidFile ${directory}/pid\nErrorLog ${directory}/log\n`;
      return ['-D', 'FOREGROUND', '-d', directory, '-f', fileIn(directory, 'apache2.conf', modules.join('') + text)];
    },
    findsHang: false,
  },
  {
    name: 'rabbitmq',
    image: 'rabbitmq:3.10',
    program: 'rabbitmq-server',
    port: 5672,
    args: () => [],
    user: 'rabbitmq',
    // Debian's rabbitmq-diagnostics reads the cookie in this home.
    env: (directory) => ({
      HOME: '/var/lib/rabbitmq',
      RABBITMQ_MNESIA_BASE: join(directory, 'data'),
      RABBITMQ_LOG_BASE: join(directory, 'log'),
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    }),
    // It refuses to end while it knows a node.
    end: () => void spawnSync('epmd', ['-kill']),
    findsHang: true,
  },
  {
    name: 'haproxy',
    image: 'haproxy:3.0',
    program: 'haproxy',
    port: 18_089,
    portName: 'http',
    args: (directory) => {
      const defaults = 'defaults\n  mode http\n  timeout client 5s\n  timeout connect 5s\n  timeout server 5s\n';
      return ['-db', '-f', fileIn(directory, 'haproxy.cfg', `${defaults}frontend a\n  bind 127.0.0.1:18089\n`)];
    },
    findsHang: false,
  },
  {
    name: 'etcd',
    image: 'quay.io/coreos/etcd:v3.5.17',
    program: 'etcd',
    port: 2379,
    args: (directory) => ['--data-dir', join(directory, 'data')],
    since: /Version: 3\.(?:5\.(?:1[1-9]|[2-9]\d)|[6-9]|\d{2})/,
    findsHang: true,
  },
];

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end;) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
    if (await isOpen(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on ${port} after 30 s`);
}

/** The results of the probes that the library gives to a container with this image, by probe. */
async function results(product: Product, ...more: readonly string[]): Promise<Record<string, string>> {
  const { name, image, port, portName = 'main' } = product;
  const ports = [{ name: portName, containerPort: port }];
  const spec = { containers: [{ name: 'a', image, ports }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'a', labels: { app: 'a' } }, spec };
  const args = ['try', '-', '--policies', `examples/library/${name}.yaml`, '--address', '127.0.0.1', '--count', '1'];
  const { stdout, stderr } = await runProbewright([...args, ...more, '--exec', 'env', '--output', 'json'], {
    stdin: JSON.stringify(pod),
    monotonic: () => performance.now(),
  });
  expect(stderr).toBe('');
  const { probes } = JSON.parse(stdout) as TryOutput;
  return Object.fromEntries(probes.map(({ probe, result }) => [probe, result]));
}

/** All children of the program, too: a master alone answers nobody. */
function signal(child: ChildProcess, name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  process.kill(-(child.pid ?? 0), name);
}

describe('the library, against real programs', () =>
  it.each(PRODUCTS)('$name: started, hung and stopped', { timeout: 240_000 }, async (product) => {
    const { program: name, args, port, user, since, findsHang, env, end } = product;
    const program = programOf(name);
    const isRoot = process.getuid?.() === 0;
    const why =
      program === undefined
        ? `${name} is not on this machine`
        : (port < 1024 || env !== undefined) && !isRoot
          ? `${name} needs root for port ${port}, or for its user`
          : since !== undefined && !since.test(execFileSync(program, ['--version'], { encoding: 'utf8' }))
            ? `${name} is older than what the policy is for`
            : (await isOpen(port))
              ? `port ${port} is in use`
              : undefined;
    if (program === undefined || why !== undefined) {
      console.log(`${why}: its policy is not proved`);
      return;
    }
    const directory = mkdtempSync(join(tmpdir(), 'probewright-library-'));
    chmodSync(directory, 0o777);
    const as = user !== undefined && isRoot ? ['/usr/sbin/runuser', '-u', user, '--'] : [];
    const [first = '', ...rest] = [...as, program, ...args(directory, program)];
    const environment = { ...process.env, ...env?.(directory) };
    const child = spawn(first, rest, { detached: true, stdio: 'ignore', cwd: directory, env: environment });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      await untilOpen(port, child);
      const live = await results(product);
      for (let tries = 0; tries < 30 && Object.values(live).includes('fails'); tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        Object.assign(live, await results(product));
      }
      expect(live).toMatchObject({ livenessProbe: 'passes', readinessProbe: 'passes' });
      expect(Object.values(live)).not.toContain('fails');
      signal(child, 'SIGSTOP');
      expect((await results(product, '--probe', 'liveness'))['livenessProbe']).toBe(findsHang ? 'fails' : 'passes');
      signal(child, 'SIGCONT');
      signal(child, 'SIGKILL');
      await ended;
      // The children of a killed master may end a moment later.
      for (let tries = 0; tries < 100 && (await isOpen(port)); tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await results(product)).toMatchObject({ livenessProbe: 'fails', readinessProbe: 'fails' });
    } finally {
      if (child.exitCode === null && child.signalCode === null) signal(child, 'SIGKILL');
      end?.();
      rmSync(directory, { recursive: true, force: true });
    }
  }));
