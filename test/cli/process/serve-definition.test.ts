import { describe, expect, it } from 'vitest';
import { parseServe } from '../parse-serve.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { Environment } from '../../../src/cli/flags/parse-command-line.ts';

describe('the settings of serve', () =>
  describeCases(
    'test/fixtures/serve-flags.yaml',
    ['policies', 'port', 'cluster', 'denialContact', 'problems'],
    ({ args, env }) => {
      const parsed = parseServe(args as readonly string[], (env ?? {}) as Environment);
      if ('problems' in parsed) return { problems: parsed.problems };
      const { policies, port, cluster, denialContact } = parsed.config;
      return { policies, port, cluster, denialContact };
    },
  ));

const problemsOf = (line: string): readonly string[] => {
  const parsed = parseServe(line.split(' '), {});
  return 'problems' in parsed ? parsed.problems : [];
};

describe('serve starts', () => {
  it.each([
    ['with a CA whose third covers a rotation, to the millisecond', '--kubeconfig k --ca-lifetime 21d6h'],
    ['with a look at certificates as often as a sixth of their life', '--kubeconfig k --certificate-check 1d4h'],
    ['without a cluster with durations that only a cluster needs', '--policies p --ca-lifetime 1s --lease-renew 1h'],
    ['with a certificate and its key', '--policies p --tls-cert c --tls-key k'],
    ['with a Secret in its cluster', '--kubeconfig k --tls-secret s'],
    ['with two ports', '--policies p --port 1 --health-port 2'],
    ['with two ports that the system chooses', '--policies p --port 0 --health-port 0'],
    ['with names of clients and their CA', '--policies p --client-ca c --client-cn a'],
    ['with a CA of clients alone', '--policies p --client-ca c'],
    ['with the bounds of the time to drain', '--policies p --drain-seconds 3600'],
    ['without a time to drain', '--policies p --drain-seconds 0'],
    ['at an address of IPv4', '--policies p --host 10.0.0.7'],
    ['at an address of IPv6', '--policies p --host ::'],
    ['with accounts in full', '--policies p --trusted-controllers ci-bot,system:serviceaccount:data:operator'],
  ])('%s', (_what, line) => expect(problemsOf(line)).toEqual([]));
});

describe('serve refuses', () => {
  it.each([
    [
      'a CA whose third does not cover a rotation',
      '--kubeconfig k --ca-lifetime 21d5h59m59s999ms',
      '--ca-lifetime: 21d5h59m59s999ms is too short: a third of it must cover --leaf-lifetime and twice --ca-overlap, so at least 21d6h',
    ],
    [
      'a rare look at certificates',
      '--kubeconfig k --certificate-check 1d4h1ms',
      '--certificate-check: 1d4h1ms is too rare for --leaf-lifetime 7d: at most 1d4h',
    ],
    ['a certificate without its key', '--policies p --tls-cert c', '--tls-key: must be given together with --tls-cert'],
    ['a key without its certificate', '--policies p --tls-key k', '--tls-cert: must be given together with --tls-key'],
    ['one port for both', '--policies p --port 8081', '--health-port: 8081 is --port already; choose another'],
    [
      'names of clients without their CA',
      '--policies p --client-cn a',
      '--client-cn: needs --client-ca, for the CAs whose certificates have these names',
    ],
    [
      'a Secret without a cluster',
      '--policies p --tls-secret s',
      '--tls-secret: needs --kubeconfig, for the cluster that it is in',
    ],
    [
      'a Secret beside files',
      '--kubeconfig k --tls-secret s --tls-cert c --tls-key k',
      '--tls-secret: cannot be given together with --tls-cert and --tls-key; choose one',
    ],
    [
      'a lease that the leader cannot keep',
      '--kubeconfig k --lease-renew 20s1ms',
      '--lease-renew: 20s1ms is too rare for --lease-duration 1m: at most 20s',
    ],
    [
      'too long a drain',
      '--policies p --drain-seconds 3601',
      '--drain-seconds: must be a whole number from 0 to 3600, not "3601"',
    ],
    ...['localhost', '0.0.0.256', '10.0.0.0/8', '[::]', 'http://0.0.0.0'].map((host) => [
      `the address ${host}`,
      `--policies p --host ${host}`,
      `--host: must be an IP address such as 0.0.0.0 or ::, not "${host}"`,
    ]),
    ...['*', 's*', 'system:serviceaccount:*', 'system:serviceaccount:data:*', 'system:serviceaccounts'].map(
      (account) => [
        `the account ${account}`,
        `--policies p --trusted-controllers ci-bot,${account}`,
        `--trusted-controllers: "${account}" is no full name of an account; write one such as system:serviceaccount:data:postgres-operator, without *`,
      ],
    ),
    ['no policies', '--port 1', '--policies: must be given, or --kubeconfig for policies in a cluster'],
  ])('%s', (_what, line, problem) => expect(problemsOf(line)).toEqual([problem]));

  it('a Secret beside a certificate without its key, with both reasons', () => {
    expect(problemsOf('--kubeconfig k --tls-secret s --tls-cert c')).toEqual([
      '--tls-key: must be given together with --tls-cert',
      '--tls-secret: cannot be given together with --tls-cert and --tls-key; choose one',
    ]);
  });
});
