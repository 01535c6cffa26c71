import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import {
  connectionConfig,
  CONNECTION_FLAGS,
  DURATION,
  DURATION_LIMITS,
  PORT,
  PROCESS_FLAGS,
  settingsOf,
  tooRare,
  conflictsOfClusterDurations,
} from '../../../src/cli/process/process-flags.ts';

const FLAGS = { ...PROCESS_FLAGS, ...CONNECTION_FLAGS };
const COMMAND = {
  name: 'run',
  summary: '',
  usage: '',
  description: [],
  flags: FLAGS,
  exitCodes: {},
  conflicts: conflictsOfClusterDurations,
};

/** The values of these flags, or the problems with them. */
function read(line: string): Record<string, unknown> | readonly string[] {
  const parsed = parseCommandLine(COMMAND, line.split(' ').filter(Boolean), {});
  if (parsed.kind === 'help') throw new Error('help');
  return parsed.kind === 'problems' ? parsed.problems : parsed.flags;
}

describe('the flags of a process', () => {
  it('have values without which it could not run', () => {
    expect(read('')).toEqual({
      'health-port': 8081,
      enforcement: 'Deny',
      'log-level': 'info',
      'lease-duration': 60_000,
      'lease-renew': 15_000,
      'watch-renewal': 300_000,
      services: true,
      'startup-profiles': true,
      'policy-budget': 8,
    });
  });

  it.each([
    '--lease-renew 20s',
    '--lease-duration 10s --lease-renew 3s333ms',
    '--watch-renewal 2s',
    '--watch-renewal 5m',
    '--policy-budget 1',
    '--policy-budget 1024',
    '--health-port 0',
    '--health-port 65535',
  ])('may be %s', (line) => expect(read(line)).not.toBeInstanceOf(Array));

  it.each([
    ['--lease-renew 20s1ms', '--lease-renew: 20s1ms is too rare for --lease-duration 1m: at most 20s'],
    [
      '--lease-duration 10s --lease-renew 3s334ms',
      '--lease-renew: 3s334ms is too rare for --lease-duration 10s: at most 3s333ms',
    ],
    ['--watch-renewal 1s999ms', '--watch-renewal: must be from 2s to 5m, not 1s999ms'],
    ['--watch-renewal 5m1ms', '--watch-renewal: must be from 2s to 5m, not 5m1ms'],
    ['--policy-budget 0', '--policy-budget: must be a whole number from 1 to 1024, not "0"'],
    ['--policy-budget 1025', '--policy-budget: must be a whole number from 1 to 1024, not "1025"'],
    ['--health-port 65536', '--health-port: must be a whole number from 0 to 65535, not "65536"'],
  ])('may not be %s', (line, problem) => expect(read(line)).toEqual([problem]));

  it('have ports from 0, and durations of at most 100 years', () => {
    expect(PORT.read('0')).toBe(0);
    expect(DURATION.read('36500d')).toBe(DURATION_LIMITS.mostDuration);
    expect(() => DURATION.read('36500d1ms')).toThrow('must be a duration');
  });

  it('have limits that the chart and the page of operators name', () => {
    expect(DURATION_LIMITS).toEqual({
      rotationsInCaLifetime: 3,
      overlapsInRotation: 2,
      checksInLeafLifetime: 6,
      renewalsInLeaseDuration: 3,
      leastWatchRenewal: 2000,
      mostWatchRenewal: 300_000,
      mostDuration: 3_153_600_000_000,
    });
  });

  it('have a problem in whole milliseconds for what is done too rarely', () => {
    expect(tooRare('often', 2000, 'whole', 4000, 1333.9)).toBe(
      '--often: 2s is too rare for --whole 4s: at most 1s333ms',
    );
  });
});

describe('the settings of flags', () => {
  it('have the names of the flags without dashes', () => {
    expect(settingsOf({ 'trust-foreign-service-accounts': true, port: 1 })).toEqual({
      trustForeignServiceAccounts: true,
      port: 1,
    });
  });

  it('tell what a connection reads, and the budget of policies in bytes', () => {
    const flags = read('--services false --policy-budget 2') as Parameters<typeof conflictsOfClusterDurations>[0];
    const config = connectionConfig('in-cluster', { ...settingsOf(flags), namespace: undefined, lease: 'l' });
    expect(config).toMatchObject({
      kubeconfig: 'in-cluster',
      lease: 'l',
      readsServices: false,
      readsStartupProfiles: true,
      policyBudget: 2 * 1024 * 1024,
      leaseDuration: 60_000,
    });
  });
});
