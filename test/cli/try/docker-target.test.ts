import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withTools } from '../tools-on-path.ts';
import { closedPort, http } from './probe-servers.ts';
import { runProbewright } from '../run-probewright.ts';
import { podOf, runTry, tryOne } from './run-try.ts';

/** What `docker inspect` prints of one container. */
interface Container {
  readonly ports?: Readonly<Record<string, number>>;
  readonly address?: string;
  readonly state?: object;
}

const ID = 'web';
let directory = '';
let restore: () => void = () => undefined;

/**
 * A shell script that plays a runtime: `inspect` prints the file of the container, `exec` runs a command of the machine.
 * Its words are kept in a file, one call a line.
 */
const PLAYER = `
echo "$*" >> "$(dirname "$0")/../calls"
case "$1" in
  inspect) cat "$(dirname "$0")/../$2.json" 2>/dev/null || { echo "Error: No such object: $2" >&2; exit 1; } ;;
  exec) shift 2; case "$1" in
    /bin/missing) echo 'OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/missing": stat /bin/missing: no such file or directory: unknown' >&2; exit 126 ;;
    cat) cat "$(dirname "$0")/../sockets" ;;
    *) exec "$@" ;;
  esac ;;
  *) exit 64 ;;
esac
`;

async function write(name: string, text: string): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(directory, name), text);
}

async function container({ ports = {}, address = '', state = {} }: Container): Promise<void> {
  const published = Object.entries(ports).map(([port, local]): [string, object[]] => [
    `${port}/tcp`,
    [
      { HostIp: '0.0.0.0', HostPort: String(local) },
      { HostIp: '::', HostPort: String(local) },
    ],
  ]);
  const inspected = {
    State: { Status: 'running', Running: true, StartedAt: '1970-01-01T00:00:00Z', ...state },
    HostConfig: { NetworkMode: 'bridge' },
    NetworkSettings: { Ports: Object.fromEntries(published), IPAddress: address },
  };
  await write(`${ID}.json`, JSON.stringify([inspected]));
  await write('calls', '');
  await write('sockets', '');
}

const liveness = { livenessProbe: { httpGet: { path: '/health', port: 8080 } } };
const ok = (): Promise<number> =>
  http((request, response) => response.writeHead(request.url === '/health' ? 200 : 404).end());

describe('try --docker', () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'probewright-try-'));
    restore = await withTools(directory, { docker: PLAYER, nerdctl: PLAYER });
  });
  afterAll(async () => {
    restore();
    await rm(directory, { recursive: true, force: true });
  });

  it('asks the published port, and names the port of the container', async () => {
    await container({ ports: { 8080: await ok() } });
    expect(await tryOne(liveness, ['--docker', ID])).toMatchObject({ result: 'passes', code: 200 });
    const wrong = { livenessProbe: { tcpSocket: { port: 8080 } } };
    await container({ ports: { 8080: await closedPort() } });
    expect((await tryOne(wrong, ['--docker', ID])).event).toBe(
      'Liveness probe failed: dial tcp 127.0.0.1:8080: connect: connection refused',
    );
  });

  it('does not run a probe of a port that is not published', async () => {
    await container({});
    const { code, probes } = await runTry(liveness, ['--docker', ID]);
    expect(code).toBe(2);
    expect(probes[0]?.remedy).toBe('docker publishes no port 8080 of web: run it with -p 8080');
  });

  it('runs commands in the container, and no other program of the machine', async () => {
    await container({});
    const command = ['sh', '-c', 'test -d /tmp'];
    expect(await tryOne({ livenessProbe: { exec: { command } } }, ['--docker', ID, '--count', '1'])).toMatchObject({
      result: 'passes',
      code: 0,
    });
    expect(await readFile(join(directory, 'calls'), 'utf8')).toBe('inspect web\nexec web sh -c test -d /tmp\n');
  });

  it('has no result for a program that the image does not have', async () => {
    await container({});
    const probe = await tryOne({ livenessProbe: { exec: { command: ['/bin/missing'] } } }, [
      '--docker',
      ID,
      '--allow-side-effects',
    ]);
    expect(probe).toMatchObject({ result: 'fails', cause: 'executable-not-found' });
    expect(probe.event).toMatch(
      /^Liveness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in container: .*OCI runtime exec failed: .*\/bin\/missing/,
    );
  });

  it('replaces a client that the image does not have by the kubelet itself', async () => {
    const port = await ok();
    await container({ ports: { [port]: port } });
    await write('bin/docker', `#!/bin/sh\n${PLAYER.replace('/bin/missing) echo', 'curl) echo')}`);
    const command = ['curl', '-f', `http://localhost:${port}/health`];
    const probe = await tryOne({ livenessProbe: { exec: { command } } }, ['--docker', ID]);
    await write('bin/docker', `#!/bin/sh\n${PLAYER}`);
    expect(probe.edits).toEqual([
      { path: 'spec.containers[0].livenessProbe.exec', value: null },
      { path: 'spec.containers[0].livenessProbe.httpGet', value: { path: '/health', port } },
    ]);
  });

  it('sees that the application listens on loopback only, and on which port it listens', async () => {
    const port = await closedPort();
    await container({ ports: { [port]: port } });
    const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
    await write('sockets', `  sl  local_address rem_address   st\n   0: 0100007F:${hex(port)} 00000000:0000 0A\n`);
    const probe = { livenessProbe: { httpGet: { path: '/health', port } } };
    expect(await tryOne(probe, ['--docker', ID])).toMatchObject({ cause: 'loopback-only' });
    const right = await ok();
    await container({ ports: { [port]: port, [right]: right } });
    await write('sockets', `  sl  local_address rem_address   st\n   0: 00000000:${hex(right)} 00000000:0000 0A\n`);
    expect((await tryOne(probe, ['--docker', ID])).edits).toEqual([
      { path: 'spec.containers[0].livenessProbe.httpGet.port', value: right },
    ]);
  });

  it('names a container that is not there, and one that does not run', async () => {
    await container({ state: { Running: false, Status: 'exited' } });
    const stopped = await runTry(liveness, ['--docker', ID, '--runtime', 'docker']);
    expect(stopped).toMatchObject({ code: 2, probes: [] });
    expect(stopped.stderr).toContain('the container web does not run: it is exited');
    const missing = await runTry(liveness, ['--docker', 'nobody', '--runtime', 'docker']);
    expect(missing.stderr).toContain('docker inspect nobody: Error: No such object: nobody');
    const unknown = await runTry(liveness, ['--docker', ID, '--runtime', 'podman']);
    expect(unknown.stderr).toContain('podman is not on the PATH');
  });

  it('tells the start from the start of the container, which may have been restarted meanwhile', async () => {
    const begin = Date.now();
    const startedAt = (secondsAgo: number) => ({
      ports: { 8080: port },
      state: { StartedAt: new Date(begin - secondsAgo * 1000).toISOString() },
    });
    let asked = 0;
    const port = await http((_request, response) => {
      asked += 1;
      // The first answer comes from the run before.
      if (asked > 1) return void response.end();
      void container(startedAt(20)).then(() => response.writeHead(503).end());
    });
    await container(startedAt(500));
    const { livenessProbe } = liveness;
    const line = ['try', '-', '--docker', ID, '--wait', '10s', '--count', '1', '--output', 'json'];
    const stdin = podOf({ livenessProbe: { ...livenessProbe, periodSeconds: 1 } });
    const { stdout } = await runProbewright(line, { stdin, now: Date.now, monotonic: Date.now });
    const { starts } = JSON.parse(stdout) as { readonly starts: readonly { readonly seconds: number }[] };
    expect(starts[0]?.seconds).toBeGreaterThanOrEqual(20);
    expect(starts[0]?.seconds).toBeLessThan(500);
  });

  it('measures no start of a container that has been up for long', async () => {
    await container({ ports: { 8080: await ok() }, state: { StartedAt: new Date(Date.now() - 3e5).toISOString() } });
    const line = ['try', '-', '--docker', ID, '--wait', '10s', '--count', '1'];
    const { stdout } = await runProbewright(line, { stdin: podOf(liveness), now: Date.now, monotonic: Date.now });
    expect(stdout).toContain('app was up already, so its start was not measured.');
    expect(stdout).not.toContain('failureThreshold');
  });
});
