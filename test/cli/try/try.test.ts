import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProbewright } from '../run-probewright.ts';
import { closedPort, http, tcp } from './probe-servers.ts';
import { podOf, runTry, tryOne } from './run-try.ts';

const answers = (status: Readonly<Record<string, number>>, seen: string[] = []): Promise<number> =>
  http((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(status[request.url ?? ''] ?? 404).end('a secret body');
  });

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'probewright-try-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Probes of which one passes, one fails, and one is not run. */
async function threeProbes() {
  const port = await answers({ '/ready': 200, '/livez': 200 });
  const replace = (text: string): string => text.replaceAll(String(port), '8080').replace(/[\d.]+ ms/g, '1 ms');
  return {
    container: {
      startupProbe: { exec: { command: ['true'] } },
      livenessProbe: { httpGet: { path: '/live', port } },
      readinessProbe: { httpGet: { path: '/ready', port } },
    },
    replace,
  };
}

describe('try', () => {
  it('runs startup, liveness and readiness, and counts the results', async () => {
    const { container } = await threeProbes();
    const { code, probes } = await runTry(container);
    expect(code).toBe(1);
    expect(probes.map(({ probe, result }) => `${probe} ${result}`)).toEqual([
      'startupProbe not run',
      'livenessProbe fails',
      'readinessProbe passes',
    ]);
  });

  it.each(['text', 'json', 'junit', 'github'])('prints %s', async (format) => {
    const { container, replace } = await threeProbes();
    const args = ['try', '-', '--address', '127.0.0.1', '--output', format];
    const { stdout } = await runProbewright(args, { stdin: podOf(container), monotonic: () => 0 });
    const stable = replace(stdout).replace(/"(median|longest)": [\d.]+/g, '"$1": 1');
    await expect(stable).toMatchFileSnapshot(`../../golden/try/three-probes.${format}`);
  });

  it('selects containers and probes', async () => {
    const { container } = await threeProbes();
    expect((await runTry(container, ['--probe', 'readiness'])).probes).toHaveLength(1);
    const none = await runTry(container, ['--container', 'other']);
    expect(none).toMatchObject({ code: 2, probes: [] });
    expect(none.stderr).toContain('the inputs have no such probe, so nothing is tried');
  });

  it('asks five times, and as often as --count says', async () => {
    const seen: string[] = [];
    const container = { livenessProbe: { httpGet: { path: '/live', port: await answers({ '/live': 200 }, seen) } } };
    expect((await runTry(container)).code).toBe(0);
    expect(seen).toEqual(Array(5).fill('/live'));
    await runTry(container, ['--count', '2']);
    expect(seen).toHaveLength(7);
  });

  it('asks with texts that are longer than what checks read', async () => {
    const seen: string[] = [];
    const path = `/${'x'.repeat(5000)}`;
    expect(
      await tryOne({ livenessProbe: { httpGet: { path, port: await answers({ [path]: 200 }, seen) } } }),
    ).toMatchObject({ result: 'passes' });
    expect(new Set(seen)).toEqual(new Set([path]));
    const command = ['test', 'y'.repeat(5000), '=', '$(LONG)'];
    const env = [{ name: 'LONG', value: 'y'.repeat(5000) }];
    expect(await tryOne({ env, livenessProbe: { exec: { command } } }, ['--exec', 'env'])).toMatchObject({
      result: 'passes',
    });
  });

  it('asks no path but that of the probe and the usual ones', async () => {
    const seen: string[] = [];
    const container = { livenessProbe: { httpGet: { path: '/live', port: await answers({}, seen) } } };
    const { USUAL_PATHS } = await import('../../../src/cli/try/look-http.ts');
    expect(await tryOne(container)).toMatchObject({ cause: 'http-404', edits: [] });
    expect([...new Set(seen)].filter((path) => path !== '/live' && !USUAL_PATHS.includes(path))).toEqual([]);
  });

  it('tells how often a probe failed that fails now and then', async () => {
    let asked = 0;
    const port = await http((_request, response) => response.writeHead((asked += 1) % 2 === 0 ? 503 : 200).end());
    const probe = await tryOne({ readinessProbe: { httpGet: { path: '/', port } } }, ['--count', '4']);
    expect(probe).toMatchObject({ result: 'fails', cause: 'http-5xx' });
    expect(probe.remedy).toMatch(/^It failed 2 times of 4\. /);
  });

  it('maps the ports of the container', async () => {
    const local = await answers({ '/live': 200 });
    const container = { livenessProbe: { httpGet: { path: '/live', port: 8080 } } };
    expect(await tryOne(container, ['--port', `8080=${local}`])).toMatchObject({ result: 'passes' });
    const closed = await closedPort();
    expect((await tryOne(container, ['--port', `8080=${closed}`])).event).toContain('dial tcp 127.0.0.1:8080: ');
  });

  it('runs the probes that policies add, and names the policy', async () => {
    const path = await directory();
    const port = await answers({ '/policy/live': 404, '/livez': 200 });
    const policy = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ClusterProbePolicy',
      metadata: { name: 'house' },
      spec: { containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/policy/live' }, port: 'http' },
    };
    await writeFile(join(path, 'policy.yaml'), JSON.stringify(policy));
    const container = { ports: [{ name: 'http', containerPort: port }] };
    const probe = await tryOne(container, ['--policies', path, '--probe', 'liveness']);
    expect(probe).toMatchObject({ probe: 'livenessProbe', result: 'fails', cause: 'http-404', edits: [] });
    expect(probe.remedy).toContain('ClusterProbePolicy/house gives the probe: change it there.');
  });

  it('waits until all probes pass, and says which failureThreshold fits', async () => {
    const begin = Date.now();
    const port = await http((_request, response) => response.writeHead(Date.now() - begin < 2500 ? 503 : 200).end());
    const probe = { httpGet: { path: '/', port }, periodSeconds: 1, failureThreshold: 2 };
    const { stdout, code } = await runProbewright(
      ['try', '-', '--address', '127.0.0.1', '--wait', '20s', '--output', 'json'],
      { stdin: podOf({ startupProbe: probe, readinessProbe: probe }), now: Date.now, monotonic: Date.now },
    );
    const { starts } = JSON.parse(stdout) as { readonly starts: readonly Record<string, number>[] };
    expect(code).toBe(0);
    expect(starts).toMatchObject([{ container: 'app', guaranteedSeconds: 1 }]);
    expect(starts[0]?.['seconds']).toBeGreaterThan(2);
    expect(starts[0]?.['failureThreshold']).toBeGreaterThanOrEqual(4);
  });

  it('says of a slow start what to change: the startup probe, or that there is none', async () => {
    const said = async (probes: (probe: object) => object): Promise<string> => {
      const begin = Date.now();
      const port = await http((_request, response) => response.writeHead(Date.now() - begin < 1500 ? 503 : 200).end());
      const probe = { httpGet: { path: '/', port }, periodSeconds: 1, failureThreshold: 1 };
      const line = ['try', '-', '--address', '127.0.0.1', '--wait', '20s', '--count', '1'];
      return (await runProbewright(line, { stdin: podOf(probes(probe)), now: Date.now, monotonic: Date.now })).stdout;
    };
    expect(await said((startupProbe) => ({ startupProbe }))).toMatch(
      /Its startupProbe guarantees 0 s only: set its failureThreshold: [34] or more\./,
    );
    expect(await said((livenessProbe) => ({ livenessProbe }))).toContain(
      'Its livenessProbe guarantees 0 s only: give the container a startupProbe.',
    );
    expect(await said((probe) => ({ livenessProbe: { ...probe, failureThreshold: 9 } }))).toContain(
      'Its livenessProbe guarantees 8 s, which is enough for this start.',
    );
  });

  it('measures no start of a container that was up already', async () => {
    const probe = { httpGet: { path: '/live', port: await answers({ '/live': 200 }) }, periodSeconds: 1 };
    const line = ['try', '-', '--address', '127.0.0.1', '--wait', '20s', '--count', '1'];
    const io = { stdin: podOf({ livenessProbe: probe, readinessProbe: probe }), now: Date.now, monotonic: Date.now };
    expect((await runProbewright(line, io)).stdout).toContain('app was up already, so its start was not measured.\n');
    const { stdout } = await runProbewright([...line, '--output', 'json'], io);
    expect(JSON.parse(stdout)).toMatchObject({ starts: [{ container: 'app', seconds: null }] });
  });

  it('fails after --wait with the event of the last try', async () => {
    const container = { livenessProbe: { tcpSocket: { port: await closedPort() }, periodSeconds: 1 } };
    const { code, probes } = await runTry(container, ['--wait', '100ms']);
    expect(code).toBe(1);
    expect(probes[0]).toMatchObject({ result: 'fails', cause: 'connection-refused' });
  });
});

describe('try notes', () => {
  it.each(['text', 'json', 'junit', 'github'])('where a path was redirected to, in the format %s', async (format) => {
    const port = await http((request, response) =>
      request.url === '/health' ? response.writeHead(302, { location: '/health/' }).end() : response.end(),
    );
    const line = ['try', '-', '--address', '127.0.0.1', '--output', format];
    const io = { stdin: podOf({ livenessProbe: { httpGet: { path: '/health', port } } }) };
    const { stdout } = await runProbewright(line, io);
    const note = `The path was redirected to http://127.0.0.1:${port}/health/, which gave the answer.`;
    expect(stdout.replace(/\s+/g, ' ')).toContain(note);
    expect((await tryOne({ livenessProbe: { httpGet: { path: '/health', port } } })).result).toBe('passes');
  });

  it.each(['text', 'json', 'junit', 'github'])('the other host of a redirect, in the format %s', async (format) => {
    const port = await http((_request, response) =>
      response.writeHead(302, { location: 'https://login.example.com/start' }).end(),
    );
    const line = ['try', '-', '--address', '127.0.0.1', '--output', format];
    const io = { stdin: podOf({ livenessProbe: { httpGet: { path: '/health', port } } }) };
    const { stdout } = await runProbewright(line, io);
    const note = 'The answer is a redirect to https://login.example.com/start, which the kubelet does not ask.';
    expect(stdout.replace(/\s+/g, ' ')).toContain(note);
    expect(stdout).toContain('redirect-other-host');
  });

  it('that a login page answered, by whole words of its path', async () => {
    const causeOf = async (location: string): Promise<string | null> => {
      const port = await http((request, response) =>
        request.url === '/health' ? response.writeHead(302, { location }).end() : response.end(),
      );
      return (await tryOne({ livenessProbe: { httpGet: { path: '/health', port } } })).cause;
    };
    for (const path of [
      '/login',
      '/auth/login.html?next=/',
      '/users/sign_in',
      '/oauth2/start',
      '/realms/a/openid-connect/auth',
    ])
      expect(await causeOf(path), path).toBe('login-page');
    for (const path of ['/health/', '/loginless', '/assortment', '/?login', '/blogin'])
      expect(await causeOf(path), path).toBeNull();
  });

  it.each([
    ['path', { path: '/$(HEALTH_PATH)' }],
    ['header', { path: '/', httpHeaders: [{ name: 'X-Token', value: 'a $(HEALTH_PATH)' }] }],
  ])('a variable in the %s, which the kubelet sends as it is', async (_where, given) => {
    const httpGet = { ...given, port: await answers({ '/': 200 }) };
    const container = { env: [{ name: 'HEALTH_PATH', value: 'live' }], livenessProbe: { httpGet } };
    expect((await tryOne(container)).notes).toEqual([
      '$(HEALTH_PATH) was sent as it is: the kubelet replaces variables in commands only.',
    ]);
  });

  it('nothing about a dollar sign that names no variable, or about a variable of a command', async () => {
    const httpGet = { path: '/$$(X)/$Y', port: await answers({}) };
    expect((await tryOne({ livenessProbe: { httpGet } })).notes).toEqual([]);
    const exec = { command: ['test', '$(X)', '=', 'live'] };
    const container = { env: [{ name: 'X', value: 'live' }], livenessProbe: { exec } };
    expect(await tryOne(container, ['--exec', 'env'])).toMatchObject({ result: 'passes', notes: [] });
  });
});

describe('try is safe', () => {
  it('prints no body', async () => {
    const port = await answers({ '/live': 503 });
    for (const format of ['text', 'json', 'junit', 'github']) {
      const { stdout } = await runProbewright(['try', '-', '--address', '127.0.0.1', '--output', format], {
        stdin: podOf({ livenessProbe: { httpGet: { path: '/live', port } } }),
      });
      expect(stdout).not.toContain('secret');
    }
  });

  it('shows hidden characters that a server or a command sends', async () => {
    const port = await tcp((socket) => socket.end('\u001b[31mred\u202e::error::x\r\n'));
    for (const format of ['text', 'junit', 'github']) {
      const { stdout } = await runProbewright(
        ['try', '-', '--address', '127.0.0.1', '--exec', 'env', '--output', format, '--color', 'never'],
        {
          stdin: podOf({
            livenessProbe: { httpGet: { path: '/', port } },
            readinessProbe: { exec: { command: ['sh', '-c', String.raw`printf '\033[2J\n::warning::y'; exit 1`] } },
          }),
        },
      );

      expect(stdout).not.toMatch(/[\u001b\u202e]|^\s*::warning::y/m);
    }
  });

  it('runs no probe with side effects, unless asked', async () => {
    const path = await directory();
    const file = join(path, 'written');
    const seen: string[] = [];
    const container = {
      livenessProbe: { exec: { command: ['touch', file] } },
      readinessProbe: {
        httpGet: { path: '/actuator/restart', port: await answers({ '/actuator/restart': 200 }, seen) },
      },
    };
    const refused = await runTry(container, ['--exec', 'env']);
    expect(refused.probes.map(({ result, remedy }) => [result, remedy])).toEqual([
      ['not run', 'the command may have side effects (touch); --allow-side-effects runs it'],
      ['not run', 'the path may have side effects (restart); --allow-side-effects runs it'],
    ]);
    expect(seen).toEqual([]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    const allowed = await runTry(container, ['--exec', 'env', '--allow-side-effects', '--count', '1']);
    expect(allowed.probes.map(({ result }) => result)).toEqual(['passes', 'passes']);
  });

  it('sends nothing to another host', async () => {
    const container = { livenessProbe: { httpGet: { path: '/', port: 80, host: 'example.com' } } };
    const { code, probes } = await runTry(container);
    expect(code).toBe(2);
    expect(probes[0]).toMatchObject({ result: 'not run', remedy: expect.stringContaining('example.com') as string });
  });

  it('does not run commands without --exec', async () => {
    const probe = await tryOne({ livenessProbe: { exec: { command: ['true'] } } });
    expect(probe).toMatchObject({ result: 'not run', event: '', remedy: expect.stringContaining('--exec') as string });
  });
});
