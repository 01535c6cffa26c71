import { describe, expect, it } from 'vitest';
import { SceneDrawings, rowsOf, type RowView } from '../../../src/explain/fleet-page/rows.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { explainedContainer, explainedPod, finding, reported } from '../explained-workloads.ts';
import type { ReportedWorkload } from '../../../src/explain/fleet-page/report.ts';

const LIVENESS = { livenessProbe: httpProbe() };

/** The views of the rows. Each row has 5 bytes, and as many more as its size is to have. */
function views(
  workloads: readonly ReportedWorkload[],
  { most = Infinity, bytes = 0, brief = 0, shortest = 0 } = {},
  drawings = new SceneDrawings(),
): RowView[] {
  const made = new Map<string, RowView>();
  const template = (view: RowView): string => {
    const [note = ''] = view.notInjected;
    const length = !note.includes('left out') ? bytes : note.includes('further') ? brief : shortest;
    const row = `${made.size}`.padStart(5) + 'x'.repeat(length);
    made.set(row, view);
    return row;
  };
  return Array.from(rowsOf(workloads, drawings, template, most).values(), (row) => made.get(row) as RowView);
}

const view = (workload: ReportedWorkload): RowView => views([workload])[0] as RowView;

describe('the rows of a page', () => {
  it('are in the order of the verdicts, the worst first, and else as given', () => {
    const rows = views([
      reported({ name: 'clean' }),
      reported({ name: 'warned' }, { violations: [finding('Warn')] }),
      reported({ name: 'denied' }, { violations: [finding('Deny')] }),
      reported({ name: 'also-clean' }),
    ]);
    expect(rows.map(({ name, verdict, tone, level }) => `${level} ${name} ${verdict} ${tone}`)).toEqual([
      '1 denied Denied deny',
      '2 warned Warned warn',
      '5 clean Clean clean',
      '5 also-clean Clean clean',
    ]);
  });

  it('are the worst where a page may have few', () => {
    const workloads = [reported({ name: 'clean' }), reported({ name: 'bad' }, { violations: [finding('Deny')] })];
    expect(views(workloads, { most: 1 }).map(({ name }) => name)).toEqual(['bad']);
    expect(views(workloads, { most: 0 })).toEqual([]);
  });

  const names = (count: number): ReportedWorkload[] => {
    const one = reported({ containers: [LIVENESS] });
    return Array.from({ length: count }, () => ({ ...one }));
  };
  const whole = (rows: readonly RowView[]): number => rows.filter(({ containers }) => containers.length > 0).length;

  it('are whole within a budget of 2.7 MB, of which brief rows for all others are set aside', () => {
    // The drawings of all are those of the first row.
    const drawings = new SceneDrawings();
    views(names(1), {}, drawings);
    expect(drawings.size).toBeGreaterThan(1_000);
    expect(whole(views(names(10), { bytes: 539_990 }, drawings))).toBe(5);
    expect(whole(views(names(10), { bytes: 539_989 }, drawings))).toBe(6);
    expect(whole(views(names(10), { bytes: 539_989 }))).toBe(5);
    expect(whole(views(names(100), { bytes: 540_000, brief: 2_600 }, drawings))).toBe(5);
    expect(whole(views(names(500), { bytes: 540_000, brief: 2_600 }, drawings))).toBe(3);
  });

  it('have 2.7 KB more for each workload above a thousand', () => {
    const drawings = new SceneDrawings();
    views(names(1), {}, drawings);
    expect(whole(views(names(1_000), { bytes: 270_000 }, drawings))).toBe(10);
    expect(whole(views(names(1_200), { bytes: 270_000 }, drawings))).toBe(12);
  });

  it('that are brief say what is left out, and even less where their texts are long', () => {
    const workload = reported(
      { name: 'n'.repeat(301), namespace: 's'.repeat(300), kind: 'k'.repeat(101), containers: [LIVENESS] },
      {
        violations: [finding('Deny'), finding('Warn', 'exec-cost')],
        policies: ['a', 'b', 'c', 'd'],
        live: [
          { name: 'missed-pods', message: 'lack', pods: 1 },
          { name: 'probe-failing', message: 'fails', pods: 1 },
        ],
      },
    );
    const twice = (sizes: object): RowView =>
      views([workload, { ...workload }], { bytes: 2_700_000, ...sizes }).at(-1) as RowView;
    const brief = twice({ brief: 2_695 });
    expect(brief).toMatchObject({
      ...{ containers: [], policies: ['a', 'b', 'c'], otherChecks: 'exec-cost' },
      notInjected: ['Times and further findings are left out, because the page would become too large.'],
    });
    expect([brief.findings.length, brief.live.length, brief.name.length, brief.namespace.length]).toEqual([
      1, 1, 300, 300,
    ]);
    const shortest = twice({ brief: 2_696 });
    expect(shortest).toMatchObject({
      ...{ containers: [], policies: [], findings: [], live: [], otherChecks: 'named-port exec-cost' },
      notInjected: ['Times and findings are left out, because the page would become too large.'],
    });
    expect([shortest.name, shortest.namespace, shortest.kind].map(({ length }) => length)).toEqual([100, 100, 100]);
    expect(shortest.name).toMatch(/^n{99}…$/);
  });
});

describe('a row', () => {
  it('has the start that is guaranteed, or says that there is no limit or that nobody knows', () => {
    const broken = { livenessProbe: httpProbe({ httpGet: { host: 'localhost', port: 8080 } }) };
    const starts = [[LIVENESS], [{}], [LIVENESS, broken]].map((containers) => view(reported({ containers })));
    expect(starts.map(({ start, guaranteed }) => [start, guaranteed])).toEqual([
      ['20 s', '20'],
      ['no limit', ''],
      ['not known', ''],
    ]);
    expect(starts[0]?.strip).toMatch(/^<svg class=strip /);
  });

  it('has the kind, the names, the place and the policies', () =>
    expect(
      view(reported({ name: 'web', namespace: 'shop', kind: 'Deployment' }, { policies: ['a', 'b', 'c', 'd'] })),
    ).toMatchObject({
      ...{ kind: 'Deployment', namespace: 'shop', name: 'web', place: 'a.yaml:1:1', policies: ['a', 'b', 'c', 'd'] },
    }));

  it('says why Pods fail before its findings', () => {
    const live = [{ name: 'probe-failing', cause: 'http-404', message: 'm'.repeat(301), pods: 1, command: 'kubectl' }];
    const both = view(reported({}, { live, violations: [finding('Deny'), finding('Deny')] }));
    expect(both.found).toBe('http-404, 2 denials (named-port)');
    expect(both.live).toEqual([
      { ...live[0], message: `${'m'.repeat(299)}…`, facts: [], remedy: undefined, isFailing: true },
    ]);
    const lack = view(reported({}, { live: [{ name: 'missed-pods', message: 'lack', pods: 1 }] }));
    expect([lack.found, lack.live[0]?.isFailing]).toEqual(['', false]);
    expect(view(reported({}, { violations: [finding('Warn')] })).found).toBe('1 warning');
  });

  it('cuts no remedy inside a word, and no fact into its message', () => {
    const remedy = 'Set httpGet.path to the path that answers. '.repeat(20).trim();
    const facts = ['status: 503', 'since: 2026-11-20T11:40:00Z'];
    const live = [
      { name: 'probe-failing', message: 'fails', facts, remedy: 'Read the log. '.repeat(40).trim(), pods: 1 },
    ];
    const row = view(reported({}, { live, violations: [finding('Warn', 'named-port', { remedy })] }));
    expect(row.live[0]).toMatchObject({ message: 'fails', facts, remedy: live[0]?.remedy });
    const shown = row.findings[0]?.remedy?.replaceAll('<wbr>', '') ?? '';
    expect(shown.length).toBeGreaterThan(560);
    expect(shown.endsWith('…')).toBe(true);
    expect(`${remedy} `.startsWith(`${shown.slice(0, -1)} `)).toBe(true);
  });

  it('has its findings, the worst first, with breaks in long paths and their texts escaped', () => {
    const path = ['spec', 'template', 'spec', 'containers', 0, 'livenessProbe'];
    const violations = [
      finding('Excepted', 'd'),
      finding('Audit', 'c', { message: 'a "quoted" & <b>', remedy: 'set spec.template.spec.containers to <x>' }),
      finding('Deny', 'a', { path, message: 'm'.repeat(301), remedy: 'r'.repeat(601) }),
      finding('Warn', 'b'),
    ];
    const { findings, otherChecks } = view(reported({}, { violations }));
    expect(otherChecks).toBe('');
    expect(findings).toMatchObject([
      {
        ...{ action: 'Denied', tone: 'deny', check: 'a', path: 'spec.template.spec.<wbr>containers[0].livenessProbe' },
        ...{ message: `${'m'.repeat(299)}…`, remedy: `${'r'.repeat(599)}…` },
      },
      { action: 'Warned', tone: 'warn', check: 'b', path: 'spec.containers[0]' },
      {
        ...{ action: 'Noted', tone: 'note', check: 'c', message: 'a "quoted" &amp; &lt;b&gt;' },
        remedy: 'set <wbr>spec.template.spec.<wbr>containers to &lt;x&gt;',
      },
      { action: 'Excepted', tone: 'excepted', check: 'd', remedy: undefined },
    ]);
  });

  it('has at most 30 findings, and counts the others and names their checks', () => {
    const many = (count: number): RowView =>
      view(
        reported(
          {},
          { violations: [...Array.from({ length: count - 1 }, () => finding('Warn')), finding('Audit', 'exec-cost')] },
        ),
      );
    expect(many(30)).toMatchObject({ otherChecks: '', notInjected: [] });
    expect(many(30).findings).toHaveLength(30);
    expect(many(31)).toMatchObject({ otherChecks: 'exec-cost', notInjected: ['Not shown: 1 more finding.'] });
    expect(many(33).notInjected).toEqual(['Not shown: 3 more findings.']);
    expect(many(33).findings).toHaveLength(30);
  });

  it('has at most 30 containers, and counts the others', () => {
    const of = (count: number): RowView => view(reported({ containers: Array.from({ length: count }, () => ({})) }));
    expect(of(30)).toMatchObject({ notInjected: [] });
    expect(of(32).containers).toHaveLength(30);
    expect(of(32).notInjected).toEqual(['Not shown: 2 more containers.']);
  });

  it('has why policies added no probes, then warnings, each cut at 300 characters', () => {
    const explanation = { ...explainedPod([{}]), notInjected: ['first', 'y'.repeat(301)] };
    expect(view({ ...reported({}, { warnings: ['last'] }), explanation }).notInjected).toEqual([
      'first',
      `${'y'.repeat(299)}…`,
      'last',
    ]);
  });
});

describe('a container in a row', () => {
  const only = (workload: ReportedWorkload) => view(workload).containers[0];

  it('has its summary without the lines that follow in full, and its probes', () => {
    const startupProbe = httpProbe({ failureThreshold: 30, initialDelaySeconds: 5 });
    const readinessProbe = httpProbe({ httpGet: { path: `/${'p'.repeat(90)}`, port: 8080 }, successThreshold: 2 });
    const shown = only(reported({ containers: [{ startupProbe, readinessProbe }] }));
    expect(shown).toMatchObject({ name: 'app', role: '', caveats: [] });
    expect(shown?.summary.map((line) => line.split(':')[0])).toEqual(['starts', 'hangs', 'traffic']);
    expect(shown?.probes).toEqual([
      {
        ...{ kind: 'startupProbe', handler: 'httpGet /live on port http', from: undefined },
        times: 'after 5 s, every 10 s, timeout 1 s, 30 failures in a row',
      },
      {
        ...{ kind: 'readinessProbe', handler: `httpGet /${'p'.repeat(90)}…`, from: undefined },
        times: 'every 10 s, timeout 1 s, 3 failures in a row, 2 successes in a row',
      },
    ]);
  });

  it('says which policy gave a probe, and what a reader must know', () => {
    const container = explainedContainer({ livenessProbe: httpProbe({ httpGet: { path: '/', port: 'web' } }) });
    const [probe] = container.probes;
    if (probe === undefined) throw new Error('no probe');
    const given = { ...container, name: 'n'.repeat(301), probes: [{ ...probe, from: 'f'.repeat(301) }] };
    const shown = only({ ...reported(), explanation: { ...explainedPod([{}]), containers: [given] } });
    expect(shown?.probes[0]?.from).toBe(`${'f'.repeat(299)}…`);
    expect(shown?.name).toBe(`${'n'.repeat(299)}…`);
    expect(shown?.caveats).toEqual([expect.stringContaining('does not declare port "web"')]);
    expect(shown?.summary.join()).not.toContain('note');
  });

  it('is called a native sidecar where it is one', () => {
    const container = { ...explainedContainer({}), role: 'sidecar' as const };
    expect(only({ ...reported(), explanation: { ...explainedPod([{}]), containers: [container] } })?.role).toBe(
      'native sidecar',
    );
  });

  it('has drawings where it has figures', () => {
    expect(only(reported({ containers: [LIVENESS] }))?.scenes).toEqual([
      { id: 's0', width: 400, height: 156 },
      { id: 's1', width: 400, height: 171 },
    ]);
    expect(only(reported())?.scenes).toEqual([]);
  });
});

describe('the drawings of a page', () => {
  const [start, hang] = explainedContainer(LIVENESS).scenes;
  const [other] = explainedContainer({ livenessProbe: httpProbe({ failureThreshold: 6 }) }).scenes;

  it('are shared by scenes with the same times', () => {
    if (start === undefined || hang === undefined || other === undefined) throw new Error('no scene');
    const drawings = new SceneDrawings();
    expect([start, hang, { ...start }, other].map((scene) => drawings.add(scene).id)).toEqual(['s0', 's1', 's0', 's2']);
    const { markup, size } = drawings;
    expect(markup.match(/<g id=s\d>/g)).toEqual(['<g id=s0>', '<g id=s1>', '<g id=s2>']);
    expect(Buffer.byteLength(markup.slice(markup.indexOf('<g id=s0>'), -'</defs>'.length))).toBe(size + 2);
    expect(drawings.add(start)).toEqual({ id: 's0', width: 400, height: expect.any(Number) as number });
    expect(drawings.size).toBe(size);
  });

  it('draw a phrase once, and refer to it', () => {
    if (start === undefined || other === undefined) throw new Error('no scene');
    const drawings = new SceneDrawings();
    drawings.add(start);
    drawings.add(other);
    const { markup } = drawings;
    const [found, id = ''] = /<g id=(w\d)><text class=head>[^<]*<\/text><\/g>/.exec(markup) ?? [];
    expect(found).toBe(`<g id=${id}><text class=head>${start.title}</text></g>`);
    expect(markup.split(`<use href=#${id} y=12 />`)).toHaveLength(3);
    const ids = [...markup.matchAll(/ id="?([\w-]+)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(markup).toMatch(/^<defs><pattern id="unsure".*<g id=ticks>.*<\/defs>$/s);
  });
});
