import { describe, expect, it } from 'vitest';
import { parseServe } from '../cli/parse-serve.ts';
import { isWithoutHelm, one, render } from './helm.ts';

type Setting = readonly [value: string, duration: string];

/**
 * The chart's sentence; undefined when it renders a Deployment. With the Deployment, the arguments of `serve` in
 * the Deployment.
 */
function outcome(settings: readonly Setting[]): { refusal: string | undefined; args: readonly string[] } {
  try {
    const manifests = render({ set: settings.map(([value, duration]) => `${value}=${duration}`) });
    const { spec } = one<{ spec: { template: { spec: { containers: { args: string[] }[] } } } }>(
      manifests,
      'Deployment',
    );
    return { refusal: undefined, args: spec.template.spec.containers[0]?.args.slice(1) ?? [] };
  } catch (error) {
    return { refusal: String(error), args: [] };
  }
}

/** Values at a limit, the values just beyond, and the number that the chart's sentence names. */
const limits: readonly (readonly [string, readonly Setting[], readonly Setting[], RegExp])[] = [
  [
    'a CA for three rotations',
    [['certificates.own.caLifetime', '21d6h']],
    [['certificates.own.caLifetime', '21d5h59m59s']],
    /certificates\.own\.caLifetime is 21d5h59m59s, and must be 3 times .* Set it to 21d6h or more/,
  ],
  [
    'a leaf that fits into the CA',
    [['certificates.own.leafLifetime', '121d14h']],
    [['certificates.own.leafLifetime', '400d']],
    /certificates\.own\.caLifetime is 365d, .* Set it to 1200d6h or more/,
  ],
  [
    'six checks in the life of a leaf',
    [['certificates.checkInterval', '1d4h']],
    [['certificates.checkInterval', '1d4h1ms']],
    /certificates\.checkInterval is 1d4h1ms, too rare .* lasts 7d\. Set it to 1d4h or less/,
  ],
  [
    'three renewals of the Lease',
    [['leaderElection.renewInterval', '20s']],
    [['leaderElection.renewInterval', '90s']],
    /leaderElection\.renewInterval is 90s, too rare for a leaseDuration of 60s\. Set it to 20s or less/,
  ],
  [
    'a watch of 2 s',
    [['watchRenewal', '2s']],
    [['watchRenewal', '1999ms']],
    /watchRenewal is 1999ms\. Set it to a duration from 2s to 5m/,
  ],
  [
    'a watch of 5 min',
    [['watchRenewal', '300000ms']],
    [['watchRenewal', '5m1ms']],
    /watchRenewal is 5m1ms\. Set it to a duration from 2s to 5m/,
  ],
  [
    'a duration of 100 years',
    [['certificates.own.caLifetime', '36500d']],
    [['certificates.own.caLifetime', '36500d1ms']],
    /certificates\.own\.caLifetime is "36500d1ms", which is no duration from 1ms to 100 years/,
  ],
];

/** The arguments that the chart would pass for values. */
function argsFor(settings: readonly Setting[]): string[] {
  const flags: Readonly<Record<string, string>> = {
    'certificates.own.caLifetime': 'ca-lifetime',
    'certificates.own.leafLifetime': 'leaf-lifetime',
    'certificates.checkInterval': 'certificate-check',
    'leaderElection.renewInterval': 'lease-renew',
    watchRenewal: 'watch-renewal',
  };
  return ['--kubeconfig=in-cluster', ...settings.map(([value, duration]) => `--${flags[value] ?? ''}=${duration}`)];
}

describe.skipIf(isWithoutHelm('durations.test.ts'))('durations of the chart', () => {
  it.each(limits)('%s: are refused exactly where serve would not start', (_, good, bad, sentence) => {
    const { refusal, args } = outcome(good);
    expect(refusal).toBeUndefined();
    expect(parseServe(args, {})).toHaveProperty('config');
    expect(outcome(bad).refusal).toMatch(sentence);
    expect(parseServe(argsFor(bad), {})).toHaveProperty('problems');
  });

  it.each(['', '5', '1x', '1h 5m', '-1h', '0s', '99999999999999999999d'])('refuse %j in words', (text) => {
    expect(outcome([['watchRenewal', text]]).refusal).toContain(
      `watchRenewal is "${text}", which is no duration from 1ms to 100 years. Write one such as 90s, 5m, 1h30m or 7d`,
    );
    expect(parseServe(argsFor([['watchRenewal', text]]), {})).toHaveProperty('problems');
  });

  it('go by the lifetime that serve has by default, with a Secret of the user’s', () => {
    const secret: Setting[] = [
      ['certificates.mode', 'secret'],
      ['certificates.secret.name', 'pair'],
    ];
    const good = outcome([...secret, ['certificates.own.leafLifetime', '1h'], ['certificates.checkInterval', '1d4h']]);
    expect(parseServe(good.args, {})).toHaveProperty('config');
    expect(outcome([...secret, ['certificates.checkInterval', '1d5h']]).refusal).toMatch(/Set it to 1d4h or less/);
  });

  it.each([
    [
      'leafRenewBefore',
      '3000h',
      /leafRenewBefore is 3000h, and a serving certificate lasts only 2160h \(leafDuration\)/,
    ],
    ['leafRenewBefore', '4m', /leafRenewBefore is 4m, less than cert-manager accepts\. Set it to 5m or more/],
    ['leafDuration', '59m', /leafDuration is 59m, less than cert-manager accepts\. Set it to 1h or more/],
    [
      'caDuration',
      '90d',
      /caDuration is "90d", which is no duration that cert-manager reads\. .* such as 90m or 2160h/,
    ],
  ])('of cert-manager are refused where cert-manager would: %s %s', (key, duration, sentence) => {
    const value = `certificates.certManager.${key}`;
    const mode: Setting = ['certificates.mode', 'cert-manager'];
    expect(outcome([mode, [value, duration]]).refusal).toMatch(sentence);
    expect(outcome([[value, duration]]).refusal).toBeUndefined();
  });
});
