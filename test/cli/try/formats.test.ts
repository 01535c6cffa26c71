import { describe, expect, it } from 'vitest';
import { TRY_REPORTS, type TryReport } from '../../../src/cli/try/formats.ts';
import type { Start } from '../../../src/cli/try/awaited-start.ts';
import type { TriedProbe } from '../../../src/cli/output/json-outputs.ts';
import { PLAIN, type Screen } from '../../../src/cli/output/screen.ts';

const PASSES: TriedProbe = {
  ...{ file: 'web.yaml', line: 7, column: 3, kind: 'Pod', namespace: 'shop', name: 'web', container: 'app' },
  ...{ probe: 'livenessProbe', handler: 'httpGet /live on port 80', result: 'passes', event: '', code: 200 },
  ...{ milliseconds: { median: 1.5, longest: 3 }, timeoutSeconds: 2, notes: [], cause: null, remedy: '', edits: [] },
};
const FAILS: TriedProbe = {
  ...{ ...PASSES, result: 'fails', event: 'Liveness probe failed: no\n', cause: 'http-404', remedy: 'Change it.' },
  edits: [
    { path: 'spec.path', value: '/up' },
    { path: 'spec.port', value: null },
  ],
};
const NOT_RUN: TriedProbe = { ...PASSES, result: 'not run', milliseconds: null, code: null, remedy: 'No --exec.' };

const screen: Screen = { columns: undefined, paint: PLAIN };
/** Styles as tags. */
const tagged: Screen = { columns: undefined, paint: (style, text) => `<${style}>${text}</>` };

const report = (probes: readonly TriedProbe[], more: Partial<TryReport> = {}): TryReport => ({
  probes,
  starts: [],
  isFromCluster: false,
  ...more,
});
const text = (probes: readonly TriedProbe[], more: Partial<TryReport> = {}): string =>
  TRY_REPORTS.text(report(probes, more), screen);

describe('the text', () => {
  it('has a block for each workload, with its place, and the numbers', () => {
    expect(text([PASSES, FAILS, { ...PASSES, name: 'other', line: 9 }])).toBe(`Pod shop/web (web.yaml:7)
  passes  app: livenessProbe httpGet /live on port 80: median 1.5 ms, longest 3 ms of 2 s
  fails   app: livenessProbe httpGet /live on port 80: median 1.5 ms, longest 3 ms of 2 s
          Liveness probe failed: no
          http-404: Change it.
          spec.path: "/up"
          remove spec.port

Pod shop/other (web.yaml:9)
  passes  app: livenessProbe httpGet /live on port 80: median 1.5 ms, longest 3 ms of 2 s

3 probes: 2 pass, 1 fails
`);
  });

  it('has the reason of a probe that is not run, and no times', () => {
    expect(text([NOT_RUN])).toBe(`Pod shop/web (web.yaml:7)
  not run app: livenessProbe httpGet /live on port 80
          No --exec.

1 probe: 0 pass, 0 fail, 1 not run
`);
  });

  it('has notes before the remedy', () => {
    const lines = text([{ ...FAILS, notes: ['One.', 'Two.'] }]).split('\n');
    expect(lines.slice(2, 6).map((line) => line.trim())).toEqual([
      'Liveness probe failed: no',
      'One.',
      'Two.',
      'http-404: Change it.',
    ]);
  });

  it.each([
    [['passes'], '1 probe: 1 passes, 0 fail'],
    [['fails', 'fails'], '2 probes: 0 pass, 2 fail'],
    [['warns'], '1 probe: 0 pass, 0 fail, 1 warns'],
    [['warns', 'warns', 'not run', 'not run'], '4 probes: 0 pass, 0 fail, 2 warn, 2 not run'],
  ] as const)('counts the results %j', (results, summary) => {
    expect(
      text(results.map((result) => ({ ...PASSES, result })))
        .trimEnd()
        .split('\n')
        .at(-1),
    ).toBe(summary);
  });

  it('has no line for an object of a cluster', () => {
    const probes = [{ ...PASSES, file: 'cluster:shop/pod/web' }];
    expect(text(probes, { isFromCluster: true }).split('\n')[0]).toBe('Pod shop/web');
    expect(text([], { isFromCluster: true })).toBe('0 probes: 0 pass, 0 fail\n');
  });

  it.each([
    ['passes', 'added'],
    ['warns', 'warning'],
    ['fails', 'error'],
    ['not run', 'note'],
  ] as const)('shows the result "%s" in the style %s', (result, style) => {
    const lines = TRY_REPORTS.text(report([{ ...FAILS, result }]), tagged).split('\n');
    expect(lines[0]).toBe('<heading>Pod shop/web (web.yaml:7)</>');
    expect(lines[1]).toContain(`  <${style}>${result.padEnd(8)}</>app: `);
    expect(lines.slice(2, 6)).toEqual([
      '          <faint>Liveness probe failed: no</>',
      '          http-404: Change it.',
      '          <added>spec.path: "/up"</>',
      '          <added>remove spec.port</>',
    ]);
    expect(lines.at(-2)).toMatch(/^<heading>1 probe: /);
  });
});

describe('a start', () => {
  const start: Start = { container: 'app', seconds: 4, guaranteedSeconds: 4, failureThreshold: 6 };
  it.each<[Start, string]>([
    [{ container: 'app', seconds: null }, 'app was up already, so its start was not measured.'],
    [{ container: 'app', seconds: 4 }, 'app started in 4 s.'],
    [{ container: 'app', seconds: 4, guaranteedBy: 'startupProbe' }, 'app started in 4 s.'],
    [
      { ...start, guaranteedBy: 'startupProbe' },
      'app started in 4 s. Its startupProbe guarantees 4 s, which is enough for this start.',
    ],
    [
      { ...start, guaranteedBy: 'startupProbe', seconds: 4.1 },
      'app started in 4.1 s. Its startupProbe guarantees 4 s only: set its failureThreshold: 6 or more.',
    ],
    [
      { ...start, guaranteedBy: 'livenessProbe', seconds: 5 },
      'app started in 5 s. Its livenessProbe guarantees 4 s only: give the container a startupProbe.',
    ],
  ])('is compared with what a probe guarantees: %j', (given, line) => {
    expect(text([PASSES], { starts: [given] }).split('\n')[2]).toBe(`  ${line}`);
  });

  it('is in the block of the workload that has the container', () => {
    const probes = [PASSES, { ...PASSES, container: 'proxy' }, { ...PASSES, name: 'other', container: 'job' }];
    const blocks = text(probes, { starts: [{ container: 'proxy', seconds: 1 }] }).split('\n\n');
    expect(blocks.map((block) => block.includes('proxy started in 1 s.'))).toEqual([true, false, false]);
  });

  it('is in the JSON where there is one', () => {
    const json = (starts: readonly Start[]): unknown =>
      JSON.parse(TRY_REPORTS.json(report([PASSES], { starts }), screen));
    const summary = { passes: 1, fails: 0, warns: 0, notRun: 0 };
    expect(json([])).toStrictEqual({ probes: [PASSES], summary });
    expect(json([start])).toStrictEqual({ probes: [PASSES], summary, starts: [start] });
  });
});

it('the JSON is indented by two spaces and ends with a line', () => {
  const output = TRY_REPORTS.json(report([]), screen);
  expect(output.startsWith('{\n  "probes": [],\n')).toBe(true);
  expect(output.endsWith('\n}\n')).toBe(true);
});

describe('JUnit', () => {
  const junit = (probe: TriedProbe): string | undefined =>
    TRY_REPORTS.junit(report([probe]), screen)
      .split('\n')
      .find((line) => line.includes('<testcase'))
      ?.trim();
  const name = 'name="Pod shop/web app.livenessProbe: httpGet /live on port 80"';

  it('has no text for a plain pass', () => {
    expect(junit(PASSES)).toBe(`<testcase ${name} classname="probe" file="web.yaml" line="7"></testcase>`);
  });

  it.each([
    [{ ...PASSES, notes: ['Redirected.'] }, 'passes: Redirected.'],
    [{ ...PASSES, result: 'warns' as const, remedy: 'Slow.' }, 'warns: Slow.'],
    [NOT_RUN, 'not run: No --exec.'],
  ])('has a passed case with a text for what is no failure: %#', (probe, out) => {
    expect(junit(probe)).toBe(
      `<testcase ${name} classname="probe" file="web.yaml" line="7"><system-out>${out}</system-out></testcase>`,
    );
  });

  it('has a failure for a probe that fails, under its cause', () => {
    const said = 'fails: Liveness probe failed: no; http-404: Change it. spec.path: &quot;/up&quot;; remove spec.port';
    expect(junit(FAILS)).toBe(
      `<testcase ${name} classname="http-404" file="web.yaml" line="7"><failure message="${said}" type="http-404">${said}</failure></testcase>`,
    );
  });

  it('has a passed case without probes', () => {
    expect(TRY_REPORTS.junit(report([]), screen)).toContain('<testcase name="no probes"');
  });
});

describe('annotations of GitHub', () => {
  it.each([
    ['passes', 'notice'],
    ['warns', 'warning'],
    ['fails', 'error'],
    ['not run', 'notice'],
  ] as const)('tell the result "%s" as %s', (result, command) => {
    const probe = { ...FAILS, result, notes: ['One:', 'Two'], edits: [] };
    expect(TRY_REPORTS.github(report([probe]), screen)).toBe(
      `::${command} file=web.yaml,line=7,col=3,title=Pod shop/web app.livenessProbe%3A httpGet /live on port 80::` +
        'Liveness probe failed: no; One: Two; http-404: Change it.\n',
    );
  });

  it('leave out a plain pass', () => {
    expect(TRY_REPORTS.github(report([PASSES]), screen)).toBe('');
  });
});
