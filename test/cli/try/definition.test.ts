import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { TRY } from '../../../src/cli/try/definition.ts';

function problems(...args: readonly string[]): readonly string[] {
  const line = parseCommandLine(TRY, ['web.yaml', ...args], {});
  return line.kind === 'problems' ? line.problems : [];
}

function flagsOf(...args: readonly string[]) {
  const line = parseCommandLine(TRY, ['web.yaml', ...args], {});
  if (line.kind !== 'command') throw new Error(JSON.stringify(line));
  return line.flags;
}

describe('the flags of try', () => {
  it('have defaults: five times, as text, and no side effects', () => {
    expect(flagsOf('--address', 'localhost')).toMatchObject({
      ...{ count: 5, output: 'text', color: 'auto', strict: false, 'allow-side-effects': false },
      ...{ container: [], probe: [], port: [], wait: undefined, exec: undefined, runtime: undefined },
    });
  });

  it.each([
    [['--count', '0'], '--count: must be a whole number from 1 to 1000, not "0"'],
    [['--count', '1001'], '--count: must be a whole number from 1 to 1000, not "1001"'],
    [['--wait', '3600001ms'], '--wait: must be a duration such as 90s, 5m, 1h30m or 7d, not "3600001ms"'],
    [['--output', 'yaml'], '--output: must be text, json, junit, github, not "yaml"'],
    [['--probe', 'ready'], '--probe: unknown probe: "ready"'],
    [['--docker', '-web'], '--docker: must be the name or id of a container, such as web, not "-web"'],
    [['--docker', 'web/1'], '--docker: must be the name or id of a container, such as web, not "web/1"'],
    [['--docker', 'web', '--runtime', 'lxc'], '--runtime: must be docker, podman, nerdctl, not "lxc"'],
    [['--pod', 'Web'], '--pod: must be the name of a Pod, not "Web"'],
    [['--address', 'http://web'], '--address: must be a host name or an address, not "http://web"'],
    [['--address', '[::1'], '--address: must be a host name or an address, not "[::1"'],
  ])('refuse other values: %j', (args, problem) => {
    expect(problems(...args)).toContain(problem);
  });

  it.each(['localhost', '10.0.0.1', '::1', '[::1]', '[FE80::1]', 'web-1.shop'])('take the address %s', (address) => {
    expect(flagsOf('--address', address).address).toBe(address);
  });

  it('take the bounds of count and wait', () => {
    expect(flagsOf('--address', 'web', '--count', '1', '--wait', '1h')).toMatchObject({ count: 1, wait: 3_600_000 });
    expect(flagsOf('--address', 'web', '--count', '1000').count).toBe(1000);
  });

  it.each([
    ['8080=49153', [8080, 49_153]],
    ['1=65535', [1, 65_535]],
    ['65535=1', [65_535, 1]],
  ])('take two ports: %s', (text, pair) => {
    expect(flagsOf('--address', 'web', '--port', text).port).toEqual([pair]);
  });

  it.each(['8080', '0=80', '80=0', '65536=80', '80=65536', '80=80=80', '123456=1', 'http=80', '80=http', ''])(
    'refuse "%s" as two ports',
    (text) => {
      expect(problems('--address', 'web', `--port=${text}`)).toEqual([
        `--port: must be two ports such as 8080=49153, not "${text}"`,
      ]);
    },
  );

  it('split the command of --exec at spaces, and refuse none and one with quotes', () => {
    expect(flagsOf('--address', 'web', '--exec', ' docker  exec web ').exec).toEqual(['docker', 'exec', 'web']);
    expect(problems('--address', 'web', '--exec', '  ')).toEqual([
      '--exec: must name a program, such as "docker exec web"',
    ]);
    for (const sign of '"\'`$\\|;&<>')
      expect(problems('--address', 'web', '--exec', `env a${sign}b`), sign).toEqual([
        expect.stringMatching(/^--exec: must be plain words without quotes, not /),
      ]);
  });
});

describe('a command line of try', () => {
  it.each([
    [['--address', 'web', '--docker', 'web'], ['--address and --docker: name one of them']],
    [['--address', 'web', '--cluster'], ['--address and a cluster: name one of them']],
    [['--docker', 'web', '--context', 'prod'], ['--docker and a cluster: name one of them']],
    [['--docker', 'web', '--kubeconfig', 'file'], ['--docker and a cluster: name one of them']],
    [['--port', '80=81'], ['--port: only with --address']],
    [
      ['--docker', 'web', '--port', '80=81', '--exec', 'env'],
      ['--port: only with --address', '--exec: only with --address'],
    ],
    [['--address', 'web', '--runtime', 'podman'], ['--runtime: only with --docker']],
    [['--address', 'web', '--pod', 'web-1'], ['--pod: only with a cluster']],
    [['--docker', 'web', '--pod', 'web-1'], ['--pod: only with a cluster']],
    [['--cluster', '--all-namespaces'], ['--all-namespaces: try asks one workload; give --namespace instead']],
  ])('names one place to ask, and flags of this place only: %j', (args, expected) => {
    expect(problems(...args)).toEqual(expected);
  });

  it.each([
    [['--address', 'web', '--port', '80=81', '--port', '90=91', '--exec', 'env']],
    [['--docker', 'web', '--runtime', 'podman']],
    [['--cluster', '--context', 'prod', '--kubeconfig', 'file', '--pod', 'web-1']],
    [['--pod', 'web-1']],
    [[]],
  ])('may have the flags of one place: %j', (args) => {
    expect(problems(...args)).toEqual([]);
  });
});
