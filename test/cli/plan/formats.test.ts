import { describe, expect, it } from 'vitest';
import {
  planAsJson,
  planAsMarkdown,
  planAsText,
  plannedEffects,
  type ShownPlan,
} from '../../../src/cli/plan/formats.ts';
import { emptySummary, type PlanSummary, type WorkloadEffect } from '../../../src/engine/verdict/compare/plan.ts';
import { PLAIN, type Screen } from '../../../src/cli/output/screen.ts';
import type { ProbeChange, ViolationChange } from '../../../src/engine/verdict/compare/changes.ts';

const PIPE: Screen = { columns: undefined, paint: PLAIN };
/** Shows the style of each text. */
const STYLED: Screen = { columns: undefined, paint: (style, text) => `<${style}>${text}</${style}>` };

const effect = (name: string, changes: Partial<WorkloadEffect> = {}): WorkloadEffect => ({
  kind: 'Deployment',
  namespace: 'apps',
  name,
  probes: [],
  violations: [],
  ...changes,
});

const plan = (
  effects: readonly WorkloadEffect[],
  more: Partial<ShownPlan> = {},
  summary: Partial<PlanSummary> = {},
): ShownPlan => ({
  effects,
  summary: { ...emptySummary(), workloads: 9, ...summary },
  ...more,
});

const probe = (changes: Partial<ProbeChange> = {}): ProbeChange => ({
  container: 'app',
  list: 'containers',
  index: 0,
  probe: 'livenessProbe',
  change: 'changed',
  before: { httpGet: { path: '/l', port: 80 } },
  after: { httpGet: { path: '/live', port: 80 } },
  ...changes,
});

const violation = (
  changes: Partial<ViolationChange> = {},
  texts: { readonly [Name in 'check' | 'container' | 'probe' | 'message']?: string | undefined } = {},
): ViolationChange =>
  ({
    violation: { check: 'named-port', container: 'app', probe: 'livenessProbe', message: 'no such port', ...texts },
    change: 'new',
    before: null,
    after: 'Deny',
    ...changes,
  }) as ViolationChange;

const textOf = (effects: readonly WorkloadEffect[], screen = PIPE): string[] =>
  planAsText(plan(effects), screen).split('\n');
const titlesOf = (effects: readonly WorkloadEffect[]): string[] =>
  [...planAsMarkdown(plan(effects)).matchAll(/^### (.*)$/gm)].map(([, title]) => title ?? '');

describe('a plan for people', () => {
  it('has an effect with its workloads and the changed probes, and one sentence at the end', () => {
    expect(textOf([effect('web', { probes: [probe()] })])).toEqual([
      '1 workload gets other probes',
      '  Deployment apps/web',
      '--- a/Pod',
      '+++ b/Pod',
      '@@ -1,5 +1,5 @@',
      ' containers[0]: # app',
      '   livenessProbe:',
      '     httpGet:',
      '-      path: /l',
      '+      path: /live',
      '       port: 80',
      '',
      expect.stringMatching(/^Plan: /),
      '',
    ]);
  });

  it('has the sentence only when there is no effect', () => {
    expect(planAsText(plan([]), PIPE)).toMatch(/^Plan: [^\n]*\n$/);
  });

  it('has colours for titles, examples and lines of a diff', () => {
    const effects = [effect('web', { probes: [probe({ before: null })], violations: [violation()] })];
    const lines = textOf(effects, STYLED);
    expect(lines).toContain('<heading>1 workload gets other probes</heading>');
    expect(lines).toContain('<heading>--- a/Pod</heading>');
    expect(lines).toContain('<added>+  livenessProbe:</added>');
    expect(lines).toContain('<heading>1 workload violates named-port (Deny)</heading>');
    expect(lines).toContain('  <faint>container "app", livenessProbe: no such port</faint>');
    expect(lines).toContain('  Deployment apps/web');
  });

  it('wraps texts of a terminal, and never the diff', () => {
    const long = effect('web', { violations: [violation({}, { message: 'word '.repeat(20).trim() })] });
    expect(textOf([long], { columns: 40, paint: PLAIN }).every((line) => line.length <= 40)).toBe(true);
    const after = { exec: { command: ['x'.repeat(60)] } };
    const diff = textOf([effect('web', { probes: [probe({ after })] })], { columns: 40, paint: PLAIN });
    expect(diff).toContain(`+        - ${'x'.repeat(60)}`);
  });
});

describe('workloads with the same effect', () => {
  it('are one group, with three names and the number of the others', () => {
    const effects = (count: number) =>
      Array.from({ length: count }, (_, index) => effect(`w${index}`, { probes: [probe()] }));
    expect(textOf(effects(3)).slice(0, 2)).toEqual([
      '3 workloads get other probes',
      '  Deployment apps/w0, Deployment apps/w1, Deployment apps/w2',
    ]);
    expect(textOf(effects(5)).slice(0, 2)).toEqual([
      '5 workloads get other probes',
      '  Deployment apps/w0, Deployment apps/w1, Deployment apps/w2 and 2 more',
    ]);
  });

  it('may have containers of different names, which the diff lists', () => {
    const lines = textOf([
      effect('a', { probes: [probe({ container: 'one' })] }),
      effect('b', { probes: [probe({ container: 'two' })] }),
      effect('c', { probes: [probe({ container: 'one' })] }),
    ]);
    expect(lines[0]).toBe('3 workloads get other probes');
    expect(lines).toContain(' containers[0]: # one, two');
  });

  it.each([
    ['the index of the container', { index: 1 }],
    ['the list of the container', { list: 'initContainers' }],
    ['the kind of the probe', { probe: 'readinessProbe' }],
    ['the probe before', { before: null }],
    ['the probe after', { after: null }],
    ['the template', { template: 'jobs' }],
  ] as const)('are two groups if they differ in %s', (_name, changes) => {
    expect(titlesOf([effect('a', { probes: [probe()] }), effect('b', { probes: [probe(changes)] })])).toEqual([
      '1 workload gets other probes',
      '1 workload gets other probes',
    ]);
  });

  it('come first if they are more', () => {
    const effects = [
      effect('a', { probes: [probe()] }),
      effect('b', { violations: [violation()] }),
      effect('c', { violations: [violation()] }),
    ];
    expect(titlesOf(effects)).toEqual(['2 workloads violate named-port (Deny)', '1 workload gets other probes']);
    expect(titlesOf(effects.slice(0, 2))).toEqual([
      '1 workload gets other probes',
      '1 workload violates named-port (Deny)',
    ]);
  });
});

describe('the diff of probes', () => {
  it('has all changes of a container below its name, and each container apart', () => {
    const probes = [
      probe({ before: null, after: { tcpSocket: { port: 1 } } }),
      probe({ probe: 'readinessProbe', before: { tcpSocket: { port: 2 } }, after: null }),
      probe({ container: 'log', list: 'initContainers', index: 1, before: null, after: { tcpSocket: { port: 3 } } }),
    ];
    expect(textOf([effect('web', { probes })]).slice(4, -3)).toEqual([
      '@@ -1,5 +1,8 @@',
      ' containers[0]: # app',
      '-  readinessProbe:',
      '+  livenessProbe:',
      '     tcpSocket:',
      '-      port: 2',
      '+      port: 1',
      ' initContainers[1]: # log',
      '+  livenessProbe:',
      '+    tcpSocket:',
      '+      port: 3',
    ]);
  });

  it('names the template, with at most 100 characters, and at most three names of 100 characters', () => {
    const long = 'n'.repeat(101);
    const effects = ['a', 'b', 'c', 'd'].map((name) =>
      effect(name, {
        probes: [probe({ template: 't'.repeat(101), container: long + name })],
      }),
    );
    const shown = `${'n'.repeat(97)}...`;
    expect(textOf(effects)).toContain(
      ` ${'t'.repeat(97)}...: containers[0]: # ${shown}, ${shown}, ${shown} and 1 more`,
    );
    const fits = textOf([effect('a', { probes: [probe({ template: 't'.repeat(100), container: 'n'.repeat(100) })] })]);
    expect(fits).toContain(` ${'t'.repeat(100)}: containers[0]: # ${'n'.repeat(100)}`);
  });

  it('shows 20 lines around a change, so that the names of probe and container are there', () => {
    const command = Array.from({ length: 16 }, (_, index) => `c${index}`);
    const change = (words: readonly string[]) =>
      probe({ before: { exec: { command: words } }, after: { exec: { command: [...words, 'new'] } } });
    expect(textOf([effect('a', { probes: [change(command)] })])).toContain(' containers[0]: # app');
    const lines = textOf([effect('a', { probes: [change([...command, 'c16'])] })]);
    expect(lines).not.toContain(' containers[0]: # app');
    expect(lines).toContain('   livenessProbe:');
  });
});

describe('violations', () => {
  it.each([
    [{}, '1 workload violates named-port (Deny)'],
    [{ change: 'gone', before: 'Warn', after: null }, '1 workload no longer violates named-port (was Warn)'],
    [
      { change: 'changed', before: 'Deny', after: 'Audit' },
      '1 workload violates named-port with another action: Audit (was Deny)',
    ],
  ] as const)('have a title with the action before and after: %j', (changes, title) => {
    expect(titlesOf([effect('web', { violations: [violation(changes)] })])).toEqual([title]);
    const two = [effect('a', { violations: [violation(changes)] }), effect('b', { violations: [violation(changes)] })];
    expect(titlesOf(two)).toEqual([title.replace('1 workload', '2 workloads').replace('violates', 'violate')]);
  });

  it('of one check and action count each workload once', () => {
    const twice = [violation({}, { container: 'a' }), violation({}, { container: 'b' })];
    expect(textOf([effect('web', { violations: twice })]).slice(0, 3)).toEqual([
      '1 workload violates named-port (Deny)',
      '  Deployment apps/web',
      '  for example: container "a", livenessProbe: no such port',
    ]);
  });

  it('are an example only if they differ', () => {
    const same = [effect('a', { violations: [violation()] }), effect('b', { violations: [violation()] })];
    expect(textOf(same)[2]).toBe('  container "app", livenessProbe: no such port');
  });

  it('of other checks and actions are other groups', () => {
    const violations = [violation(), violation({}, { check: 'exec-command' }), violation({ after: 'Warn' })];
    expect(titlesOf([effect('web', { violations })])).toEqual([
      '1 workload violates named-port (Deny)',
      '1 workload violates exec-command (Deny)',
      '1 workload violates named-port (Warn)',
    ]);
  });

  it.each([
    [{ container: '', probe: undefined }, '  no such port'],
    [{ container: '' }, '  livenessProbe: no such port'],
    [{ probe: undefined }, '  container "app": no such port'],
    [{ container: 'a\nb' }, String.raw`  container "a\nb", livenessProbe: no such port`],
  ])('name what there is: %j', (texts, line) => {
    expect(textOf([effect('web', { violations: [violation({}, texts)] })])[2]).toBe(line);
  });

  it('have names of at most 300 characters, and examples of at most 1000', () => {
    const example = (container: string, message: string): string =>
      (
        textOf([effect('web', { violations: [violation({}, { container, probe: undefined, message })] })])[2] ?? ''
      ).slice(2);
    expect(example('c'.repeat(300), 'm')).toBe(`container "${'c'.repeat(300)}": m`);
    expect(example('c'.repeat(301), 'm')).toBe(`container "${'c'.repeat(297)}...": m`);
    expect(example('', 'm'.repeat(1000))).toBe('m'.repeat(1000));
    expect(example('', 'm'.repeat(1001))).toBe(`${'m'.repeat(997)}...`);
    const named = (name: string): string | undefined =>
      textOf([effect(name, { violations: [violation()] })])[1]?.slice(2);
    const fits = 'n'.repeat(300 - 'Deployment apps/'.length);
    expect(named(fits)).toBe(`Deployment apps/${fits}`);
    expect(named(`${fits}n`)).toBe(`Deployment apps/${fits.slice(3)}...`);
  });
});

describe('workloads that are left out', () => {
  const exempt = (...counts: number[]) =>
    counts.map((workloads, index) => ({ namespace: `n${index}`, workloads, reason: 'r' }));
  const last = (shown: ShownPlan): string => planAsText(shown, PIPE).trimEnd().split('\n').at(-1) ?? '';

  it('are counted at the end of the sentence', () => {
    const without = last(plan([]));
    expect(last(plan([], { exempt: exempt() }))).toBe(without);
    expect(last(plan([], { exempt: exempt(1) }))).toBe(`${without} 1 exempt workload is not counted.`);
    expect(last(plan([], { exempt: exempt(2, 3) }))).toBe(`${without} 5 exempt workloads are not counted.`);
  });

  it('are in JSON with their namespaces, and nothing is there without any', () => {
    expect(JSON.parse(planAsJson(plan([], { exempt: exempt(2) })))).toMatchObject({
      exempt: [{ namespace: 'n0', workloads: 2 }],
    });
    expect(Object.keys(JSON.parse(planAsJson(plan([], { exempt: [] }))) as object)).toEqual(['workloads', 'summary']);
    expect(Object.keys(JSON.parse(planAsJson(plan([]))) as object)).toEqual(['workloads', 'summary']);
  });
});

describe('a plan in Markdown', () => {
  it('has a marker, the sentence, and a block of code for each effect', () => {
    const violations = [violation()];
    expect(planAsMarkdown(plan([effect('web', { probes: [probe({ before: null })], violations })]))).toBe(
      `<!-- probewright plan -->
**Plan: ${planAsText(plan([]), PIPE).slice('Plan: '.length).trimEnd()}**

### 1 workload gets other probes

\`\`\`diff
Deployment apps/web

--- a/Pod
+++ b/Pod
@@ -1 +1,5 @@
 containers[0]: # app
+  livenessProbe:
+    httpGet:
+      path: /live
+      port: 80
\`\`\`

### 1 workload violates named-port (Deny)

\`\`\`text
Deployment apps/web
container "app", livenessProbe: no such port
\`\`\`
`,
    );
  });

  it('says which command prints the effects that have no room', () => {
    const effects = Array.from({ length: 80 }, (_, index) =>
      effect('web', { violations: [violation({}, { check: `check-${index}`, message: 'm'.repeat(1000) })] }),
    );
    expect(planAsMarkdown(plan(effects))).toMatch(
      /There is no room here for \d+ more effects\. Run `probewright plan` to see all effects\.\n$/,
    );
  });
});

describe('a plan in JSON', () => {
  it('has each change of a workload, with null for what is not there', () => {
    const given = plan([
      effect('web', {
        probes: [probe({ after: null, change: 'removed' })],
        violations: [violation({}, { probe: undefined })],
      }),
    ]);
    const { before } = probe();
    const output = {
      workloads: [
        {
          kind: 'Deployment',
          namespace: 'apps',
          name: 'web',
          probes: [{ container: 'app', probe: 'livenessProbe', change: 'removed', before, after: null }],
          violations: [
            {
              check: 'named-port',
              container: 'app',
              probe: null,
              change: 'new',
              before: null,
              after: 'Deny',
              message: 'no such port',
            },
          ],
        },
      ],
      summary: given.summary,
    };
    expect(plannedEffects(given)).toEqual(output);
    expect(planAsJson(given)).toBe(`${JSON.stringify(output, undefined, 2)}\n`);
  });
});
