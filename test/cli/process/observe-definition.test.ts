import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { OBSERVE } from '../../../src/cli/process/observe-definition.ts';

function problemsOf(line: string, environment: Record<string, string> = {}): readonly string[] {
  const parsed = parseCommandLine(OBSERVE, line.split(' ').filter(Boolean), environment);
  return parsed.kind === 'problems' ? parsed.problems : [];
}

describe('observe', () => {
  it.each([
    ['', '--kubeconfig: must be given: a file, or in-cluster'],
    ['--kubeconfig k --scan-interval 59s999ms', '--scan-interval: 59s999ms is too short: at least 1m'],
    ['--kubeconfig k --lease-renew 1m', '--lease-renew: 1m is too rare for --lease-duration 1m: at most 20s'],
    ['--kubeconfig k --watch-renewal 1s', '--watch-renewal: must be from 2s to 5m, not 1s'],
    ['--kubeconfig k --dashboard-port 65536', '--dashboard-port: must be a whole number from 0 to 65535, not "65536"'],
    [
      '--kubeconfig k --dashboard-hosts a.example,https://b.example:8080',
      '--dashboard-hosts: must be a comma list of DNS names without ports, not "a.example,https://b.example:8080"',
    ],
  ])('does not start with %j', (line, problem) => expect(problemsOf(line)).toEqual([problem]));

  it.each([
    '--kubeconfig k',
    '--kubeconfig in-cluster --scan-interval 1m',
    '--kubeconfig k --dashboard-port 0 --dashboard-hosts Probes.Example.com,b.example',
  ])('starts with %s', (line) => expect(problemsOf(line)).toEqual([]));

  it('takes each flag from the environment too', () => {
    expect(problemsOf('', { PROBEWRIGHT_KUBECONFIG: 'k' })).toEqual([]);
    expect(problemsOf('--kubeconfig k', { PROBEWRIGHT_SCAN_INTERVAL: '1s' })).toEqual([
      '--scan-interval: 1s is too short: at least 1m',
    ]);
  });
});
