import { describe, expect, it } from 'vitest';
import { parseServe } from './parse-serve.ts';
import type { ServeConfig } from '../../src/webhook/config.ts';

const day = 86_400_000;

function config(args: readonly string[], env: Record<string, string> = {}): ServeConfig {
  const parsed = parseServe(args, env);
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  return parsed.config;
}

function problems(args: readonly string[], env: Record<string, string> = {}): readonly string[] {
  const parsed = parseServe(args, env);
  return 'problems' in parsed ? parsed.problems : [];
}

describe('the settings of serve', () => {
  it('speak to no cluster unless a kubeconfig is given', () =>
    expect(config(['--policies', 'p']).cluster).toBeUndefined());

  it('have defaults for everything that concerns a cluster', () =>
    expect(config(['--kubeconfig', 'in-cluster'])).toMatchObject({
      policies: undefined,
      cluster: {
        kubeconfig: 'in-cluster',
        namespace: undefined,
        serviceName: 'probewright',
        webhookConfigurations: 'probewright',
        caSecret: 'probewright-ca',
        tlsSecret: undefined,
        caLifetime: 365 * day,
        leafLifetime: 7 * day,
        caOverlap: 3_600_000,
        certificateCheck: 60_000,
        lease: 'probewright',
        leaseDuration: 60_000,
        leaseRenew: 15_000,
        watchRenewal: 300_000,
        readsServices: true,
        readsStartupProfiles: true,
        policyBudget: 32 * 1024 * 1024,
      },
    }));

  it('take policies from files and the cluster together', () =>
    expect(config(['--kubeconfig', 'k', '--policies', 'p'])).toMatchObject({
      policies: 'p',
      cluster: { kubeconfig: 'k' },
    }));

  it('want policies from somewhere', () => {
    expect(problems([])).toEqual(['--policies: must be given, or --kubeconfig for policies in a cluster']);
    expect(problems(['--kubeconfig', ''])).toEqual([
      '--kubeconfig: must not be empty',
      '--policies: must be given, or --kubeconfig for policies in a cluster',
    ]);
  });

  it('do not take a service link of Kubernetes for the port', () =>
    expect(config(['--policies', 'p'], { PROBEWRIGHT_PORT: 'tcp://10.96.12.7:443' }).port).toBe(8443));

  it('refuse durations and names that are none, by the name that they were given under', () =>
    expect(
      problems(['--policies', 'p', '--ca-lifetime', '1y', '--lease-renew', '0s', '--namespace', 'Apps'], {
        PROBEWRIGHT_CA_SECRET: 'a/b',
      }),
    ).toEqual([
      '--namespace: must be the name of a Kubernetes object, not "Apps"',
      'PROBEWRIGHT_CA_SECRET: must be the name of a Kubernetes object, not "a/b"',
      '--ca-lifetime: must be a duration such as 90s, 5m, 1h30m or 7d, not "1y"',
      '--lease-renew: must be a duration such as 90s, 5m, 1h30m or 7d, not "0s"',
    ]));

  it('refuse durations that could leave a certificate untrusted or a lease without a leader', () => {
    const settings = '--ca-lifetime 14d --certificate-check 2d --lease-renew 30s'.split(' ');
    expect(problems(['--kubeconfig', 'k', ...settings])).toEqual([
      '--ca-lifetime: 14d is too short: a third of it must cover --leaf-lifetime and twice --ca-overlap, so at least 21d6h',
      '--certificate-check: 2d is too rare for --leaf-lifetime 7d: at most 1d4h',
      '--lease-renew: 30s is too rare for --lease-duration 1m: at most 20s',
    ]);
  });

  it.each(['1s', '1999ms', '5m1ms', '1h'])('refuse watches that last for %s', (renewal) =>
    expect(problems(['--kubeconfig', 'k', '--watch-renewal', renewal])).toEqual([
      `--watch-renewal: must be from 2s to 5m, not ${renewal === '1999ms' ? '1s999ms' : renewal}`,
    ]),
  );

  it('refuse a Secret of your own without a cluster, or beside files', () =>
    expect(problems(['--policies', 'p', '--tls-secret', 's', '--tls-cert', 'c', '--tls-key', 'k'])).toEqual([
      '--tls-secret: needs --kubeconfig, for the cluster that it is in',
      '--tls-secret: cannot be given together with --tls-cert and --tls-key; choose one',
    ]));
});
