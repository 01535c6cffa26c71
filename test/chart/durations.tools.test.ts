import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseServe } from '../cli/parse-serve.ts';
import { isWithoutHelm, one, render } from './helm.ts';

/** Durations by the value that they are for. */
type Settings = Readonly<Record<string, string>>;

/**
 * The chart's sentence; undefined when it renders a Deployment. With the Deployment, the arguments of `serve` in
 * the Deployment.
 */
function outcome(settings: Settings): { refusal: string | undefined; args: readonly string[] } {
  try {
    const manifests = render({ set: Object.entries(settings).map(([value, duration]) => `${value}=${duration}`) });
    const { spec } = one<{ spec: { template: { spec: { containers: { args: string[] }[] } } } }>(
      manifests,
      'Deployment',
    );
    return { refusal: undefined, args: spec.template.spec.containers[0]?.args.slice(1) ?? [] };
  } catch (error) {
    return { refusal: String(error), args: [] };
  }
}

const limits = parse(readFileSync('test/fixtures/chart/durations.yaml', 'utf8')) as Readonly<
  Record<string, { readonly at: Settings; readonly beyond: Settings; readonly says: string }>
>;

/** The arguments that the chart would pass for values. */
function argsFor(settings: Settings): string[] {
  const flags: Readonly<Record<string, string>> = {
    'certificates.own.caLifetime': 'ca-lifetime',
    'certificates.own.leafLifetime': 'leaf-lifetime',
    'certificates.checkInterval': 'certificate-check',
    'leaderElection.renewInterval': 'lease-renew',
    watchRenewal: 'watch-renewal',
  };
  const args = Object.entries(settings).map(([value, duration]) => `--${flags[value] ?? ''}=${duration}`);
  return ['--kubeconfig=in-cluster', ...args];
}

describe.skipIf(isWithoutHelm('durations.tools.test.ts'))('durations of the chart', () => {
  it.each(Object.entries(limits))('%s: are refused exactly where serve would not start', (_, { at, beyond, says }) => {
    const { refusal, args } = outcome(at);
    expect(refusal).toBeUndefined();
    expect(parseServe(args, {})).toHaveProperty('config');
    expect(outcome(beyond).refusal).toMatch(new RegExp(says));
    expect(parseServe(argsFor(beyond), {})).toHaveProperty('problems');
  });

  it.each(['', '5', '1x', '1h 5m', '-1h', '0s', '99999999999999999999d'])('refuse %j in words', (text) => {
    expect(outcome({ watchRenewal: text }).refusal).toContain(
      `watchRenewal is "${text}", which is no duration from 1ms to 100 years. Write one such as 90s, 5m, 1h30m or 7d`,
    );
    expect(parseServe(argsFor({ watchRenewal: text }), {})).toHaveProperty('problems');
  });

  it('go by the lifetime that serve has by default, with a Secret of the user’s', () => {
    const secret = { 'certificates.mode': 'secret', 'certificates.secret.name': 'pair' };
    const check = { 'certificates.checkInterval': '1d4h' };
    const good = outcome({ ...secret, 'certificates.own.leafLifetime': '1h', ...check });
    expect(parseServe(good.args, {})).toHaveProperty('config');
    expect(outcome({ ...secret, 'certificates.checkInterval': '1d5h' }).refusal).toMatch(/Set it to 1d4h or less/);
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
    expect(outcome({ 'certificates.mode': 'cert-manager', [value]: duration }).refusal).toMatch(sentence);
    expect(outcome({ [value]: duration }).refusal).toBeUndefined();
  });
});
