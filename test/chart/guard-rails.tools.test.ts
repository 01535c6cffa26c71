import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { READY_MADE_KINDS } from '../../src/engine/workload/kinds.ts';
import { isWithoutHelm, render, renderText, type Manifest, type Rendering } from './helm.ts';
import { isAccountName } from '../../src/webhook/review/trusted-controllers.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { MatchCondition } from './match-conditions.ts';

const refused = parse(readFileSync('test/fixtures/chart/refusals.yaml', 'utf8')) as Readonly<
  Record<string, { readonly given: Rendering; readonly says: string }>
>;

describe.skipIf(isWithoutHelm('guard-rails.tools.test.ts'))('the chart refuses', () => {
  it.each(Object.entries(refused))('%s, with a sentence that says what to do', (_, { given, says }) => {
    expect(() => renderText(given)).toThrow(new RegExp(says));
  });

  it('every name of a built-in match condition, whatever the values switch off', () => {
    const builtIn = render({ set: ['webhooks.skipNeedlessCalls=true'] }).flatMap(conditionNames);
    expect(builtIn.length).toBeGreaterThan(0);
    for (const name of new Set(builtIn)) {
      const overrides = { webhooks: { skipNeedlessCalls: false, matchConditions: [{ name, expression: 'true' }] } };
      expect(() => renderText({ overrides })).toThrow(`has the name ${name}: the chart has a condition of that name`);
    }
  });

  it('no flags of files that it does not mount, whether their value follows or not', () => {
    const extraArgs = ['--workload-kinds=/kinds.yaml', '--policies', '/policies'];
    expect(() => render({ overrides: { extraArgs, observer: { enabled: true, extraArgs } } })).not.toThrow();
  });

  it('a flag of each value, and each flag that it passes', () => {
    const overrides = { trustedControllers: ['ci-bot'], denial: { contact: 'Ask us' }, observer: { enabled: true } };
    const args = render({ overrides }).flatMap(argsOf);
    for (const [path, command] of [
      ['extraArgs', 'serve'],
      ['observer.extraArgs', 'observe'],
    ] as const) {
      const flags = args.find(([name]) => name === command)?.slice(1) ?? [];
      expect(flags.length).toBeGreaterThan(15);
      for (const flag of flags) {
        const given = path === 'extraArgs' ? { extraArgs: [flag] } : { observer: { extraArgs: [flag] } };
        expect(() => renderText({ overrides: given }), flag).toThrow(`${path}: ${flag.replace(/=.*/s, '')} `);
      }
    }
  });

  it('names of accounts and addresses that the program refuses, and no others', () => {
    const outcome = (overrides: JsonObject): boolean => {
      try {
        renderText({ overrides });
        return true;
      } catch {
        return false;
      }
    };
    for (const name of ACCOUNTS)
      expect([name, outcome({ trustedControllers: [name] })]).toEqual([name, isAccountName(name)]);
    for (const host of HOSTS) expect([host, outcome({ host })]).toEqual([host, isIP(host) !== 0]);
  });

  it('no kind that Probewright knows by itself', () => {
    const workloadKinds = READY_MADE_KINDS.map(({ group, kind }) => ({ group, kind, resource: 'things' }));
    expect(() => render({ overrides: { workloadKinds } })).not.toThrow();
  });
});

const ACCOUNTS = [
  ...[
    'system:serviceaccount:data:postgres-operator',
    'system:serviceaccount:data:a.b',
    'ci-bot',
    'system:admin',
    'josé',
  ],
  ...['*', 's*', 'system:serviceaccount:*', 'system:serviceaccount:team*', 'system:serviceaccount:data:*', 'system:*'],
  ...['system:serviceaccount:', 'system:serviceaccount:data', 'system:serviceaccount::a', 'system:serviceaccount:A:b'],
  ...['system:serviceaccounts', 'system:authenticated', 'system:anonymous', 'system:', 'a b', ' a', 'a\u00a0b', 'a\nb'],
];

const HOSTS = [
  ...['0.0.0.0', '10.0.0.7', '255.255.255.255', '::', '::1', 'fe80::1', '2001:db8::8:800:200c:417a', '1:2:3:4:5:6:7:8'],
  ...['::ffff:10.0.0.7', '1:2:3:4:5:6:10.0.0.7', 'FF01::101', '1::8', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8'],
  ...[
    'localhost',
    'example.com',
    '256.0.0.1',
    '10.0.0',
    '10.0.0.7.1',
    '010.0.0.1',
    '10.0.0.7/32',
    '10.0.0.7:80',
    ' 10.0.0.7',
  ],
  ...[
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '1:2:3:4:5:6:7:',
    ':1:2:3:4:5:6:7',
    '12345::',
    'g::',
  ],
  ...['[::]', '::10.0.0.256', '0.0.0.0\n--enforcement=Audit', '1:2:3:4:5:6:7:8::', '1::2:3:4:5:6:7:8:9', '::1\n'],
];

function argsOf(manifest: Manifest): string[][] {
  const { containers } =
    (manifest as { spec?: { template?: { spec?: { containers?: { args?: string[] }[] } } } }).spec?.template?.spec ??
    {};
  return (containers ?? []).flatMap(({ args }) => (args === undefined ? [] : [args]));
}

function conditionNames({ webhooks = [] }: Manifest): string[] {
  return (webhooks as { readonly matchConditions?: readonly MatchCondition[] }[]).flatMap(({ matchConditions = [] }) =>
    matchConditions.map(({ name }) => name),
  );
}
