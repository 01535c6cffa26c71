import { describe, expect, it } from 'vitest';
import { page, workload } from '../../../src/explain/fleet-page/compiled-page.ts';
import type { PageView } from '../../../src/explain/fleet-page/page-view.ts';
import type { RowView } from '../../../src/explain/fleet-page/rows.ts';

const PAGE: PageView = {
  ...{ securityPolicy: "default-src 'none'", title: 'T<', subject: 'S&', version: '1.0', containers: '2 containers' },
  ...{ style: 'a{}', script: 'f()', legend: '<span>L</span>', scale: '<svg/>', drawings: '<defs/>' },
  ...{ instant: '2026-07-01T00:00:00.000Z', shownInstant: '2026-07-01 00:00 UTC' },
  ...{ parts: [], tiles: [], problems: [], coverage: [], levels: [], findingLevels: [], namespaces: [], checks: [] },
  ...{
    hasLacking: false,
    injection: undefined,
    rows: [],
    workloads: 0,
    withoutRow: undefined,
    nextSteps: [],
    policies: [],
    exceptions: [],
  },
};

const ROW: RowView = {
  ...{ kind: 'Pod', namespace: 'apps', name: '<web>', level: 5, tone: 'clean', verdict: 'Clean', found: '' },
  ...{ guaranteed: '', start: 'no limit', strip: '<svg/>', findings: [], otherChecks: '', live: [], containers: [] },
  ...{ notInjected: [], place: 'a.yaml:1:1', policies: [] },
};

const count = { number: 2, label: 'Denied', tone: 'deny' };
/** The parts of a page that a view with these values has, in place of an empty one. */
function added(others: Partial<PageView>): string {
  const [plain, full] = [page(PAGE), page({ ...PAGE, ...others })];
  let start = 0;
  while (plain[start] === full[start] && start < plain.length) start += 1;
  let end = 0;
  while (plain.at(-end - 1) === full.at(-end - 1) && end < plain.length - start) end += 1;
  return full.slice(start, full.length - end);
}

describe('the page', () => {
  it('is whole also without any content', () =>
    expect(page(PAGE)).toMatchInlineSnapshot(`
      "<!doctype html>
      <html lang="en">
      <head>
      <meta http-equiv="Content-Security-Policy" content="default-src &apos;none&apos;">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <link rel="icon" href="data:,">
      <title>T&lt;</title>
      <style>a{}</style>
      </head>
      <body>
      <header>
      <h1>Probe report</h1>
      <p><bdi>S&amp;</bdi>, judged at <time datetime="2026-07-01T00:00:00.000Z">2026-07-01 00:00 UTC</time> by Probewright 1.0</p>
      </header>
      <nav aria-label="Parts of this page">
      </nav>
      <main>
      <section aria-labelledby="summary">
      <h2 id="summary">Summary</h2>
      <ul class="tiles">
      </ul>
      </section>
      <section aria-labelledby="workloads">
      <h2 id="workloads">Workloads</h2>
      <div class="bar">
      <form id="tools" hidden>
      <label><span>Find</span> <input id="find" type="search" placeholder="name, kind, policy"></label>
      <label><span>Namespace</span> <select id="namespace"><option value="">all namespaces</option></select></label>
      <label><span>Verdict</span> <select id="verdict"><option value="">all verdicts</option></select></label>
      <label><span>Check</span> <select id="check"><option value="">all checks</option></select></label>
      <label><span>Order</span> <select id="order"><option value="">worst first</option><option value="namespace">namespace</option><option value="start">shortest start first</option><option value="name">name</option></select></label>
      <button type="button" id="open">Open all</button>
      <button type="button" class="clear" hidden>Clear filters</button>
      <output id="count" role="status" data-all="0"></output>
      </form>
      </div>
      <p>There are no workloads.</p>
      <p id="none" hidden>No row matches the filters. <button type="button" class="clear">Clear filters</button></p>
      <template id="group"><section class="namespace"><h3><bdi></bdi> <small></small></h3></section></template>
      <div id="list">
      </div>
      </section>
      </main>
      <footer><p>All times are bounds that follow from the kubelet’s source. The kubelet may notice the start of a container up to 2 s late. This page makes no request.</p></footer>
      <svg class="unseen" aria-hidden="true" focusable="false"><defs/></svg>
      <script>f()</script>
      </body>
      </html>
      "
    `));

  const PARTS: readonly (readonly [string, Partial<PageView>])[] = [
    ['parts', { parts: [{ id: 'a', title: 'A<' }] }],
    [
      'tiles',
      {
        tiles: [
          { ...count, shows: { verdict: 'Denied' } },
          { ...count, shows: {} },
          { ...count, shows: { check: 'c' } },
        ],
      },
    ],
    ['problems', { problems: ['<p>'] }],
    ['coverage', { coverage: [{ probe: 'livenessProbe', own: 1, given: 2, missing: 3, bar: '<svg/>' }] }],
    [
      'namespaces',
      {
        levels: ['Denied'],
        namespaces: [{ namespace: 'n<', workloads: 1, lacking: 0, counts: [count], shortest: '5 s', policies: ['p'] }],
      },
    ],
    [
      'namespaces with Pods that lack probes',
      {
        hasLacking: true,
        namespaces: [0, 2].map((lacking) => ({
          ...{ namespace: 'n', workloads: 1, lacking, counts: [], shortest: '5 s', policies: [] },
        })),
      },
    ],
    [
      'checks',
      {
        findingLevels: ['Denied'],
        checks: [{ check: 'c', url: 'https://x/', summary: 's<', counts: [count], workloads: 1 }],
      },
    ],
    ['rows', { rows: ['<details>1</details>', '<details>2</details>'], workloads: 2, withoutRow: 'more <' }],
    [
      'policies',
      {
        policies: [
          {
            source: 'p<',
            workloads: 1,
            advice: [
              { check: 'c', message: 'm<' },
              { check: 'd', message: 'm', remedy: 'r<' },
            ],
          },
          { source: 'q', workloads: 0, advice: [] },
        ],
      },
    ],
    [
      'exceptions',
      {
        exceptions: [
          {
            ...{ name: 'n<', checks: 'c', workloads: 'w', owner: 'o', reason: 'r', instant: 'i', day: 'd' },
            ...{ state: 'Expired', tone: 'deny' },
          },
        ],
      },
    ],
  ];

  it('has each part that the view has', () =>
    expect(PARTS.map(([name, others]) => `${name}:\n${added(others)}`).join('\n\n')).toMatchInlineSnapshot(`
      "parts:
      a href="#a">A&lt;</a>
      <

      tiles:
      li class="deny"><a href="#workloads" data-verdict="Denied"><b>2</b> <span>Denied</span></a></li>
      <li class="deny"><a href="#exceptions"><b>2</b> <span>Denied</span></a></li>
      <li class="deny"><a href="#workloads" data-check="c"><b>2</b> <span>Denied</span></a></li>
      <

      problems:
      div class="problems"><h3>Not everything could be read</h3><ul>
      <li><bdi>&lt;p&gt;</bdi></li>
      </ul></div>
      <

      coverage:
      div class="wide" tabindex="0" role="group" aria-label="Probes of containers"><table>
      <caption>Probes of 2 containers</caption>
      <thead><tr><th scope="col">Probe</th><th scope="col">Own</th><th scope="col">From policies</th><th scope="col">Missing</th><th scope="col" class="share"><span class="unseen">Share</span></th></tr></thead>
      <tbody>
      <tr><th scope="row">livenessProbe</th><td data-l="Own">1</td><td data-l="From policies">2</td><td data-l="Missing">3</td><td class="share"><svg/></td></tr>
      </tbody></table></div>
      <p class="aside">A missing probe is not an error by itself: not every container needs every probe. Where a policy requires a probe, a <b>required-</b> check reports a missing one.</p>
      <

      namespaces:
      namespaces">
      <h2 id="namespaces">Namespaces</h2>
      <div class="wide" tabindex="0" role="group" aria-label="Workloads by namespace"><table>
      <caption>Workloads by namespace</caption>
      <thead><tr><th scope="col">Namespace</th><th scope="col">Workloads</th><th scope="col">Denied</th><th scope="col">Shortest guaranteed start</th><th scope="col" class="text">Policies</th></tr></thead>
      <tbody>
      <tr><th scope="row"><a href="#workloads" data-namespace="n&lt;"><bdi>n&lt;</bdi></a></th><td data-l="Workloads">1</td><td class="deny" data-l="Denied">2</td><td data-l="Shortest guaranteed start">5 s</td><td class="text" data-l="Policies"><bdi>p</bdi> </td></tr>
      </tbody></table></div>
      </section>
      <section aria-labelledby="

      namespaces with Pods that lack probes:
      namespaces">
      <h2 id="namespaces">Namespaces</h2>
      <div class="wide" tabindex="0" role="group" aria-label="Workloads by namespace"><table>
      <caption>Workloads by namespace</caption>
      <thead><tr><th scope="col">Namespace</th><th scope="col">Workloads</th><th scope="col">Pods that lack probes</th><th scope="col">Shortest guaranteed start</th><th scope="col" class="text">Policies</th></tr></thead>
      <tbody>
      <tr><th scope="row"><a href="#workloads" data-namespace="n"><bdi>n</bdi></a></th><td data-l="Workloads">1</td><td class="zero" data-l="Pods that lack probes">0</td><td data-l="Shortest guaranteed start">5 s</td><td class="text" data-l="Policies">none</td></tr>
      <tr><th scope="row"><a href="#workloads" data-namespace="n"><bdi>n</bdi></a></th><td data-l="Workloads">1</td><td data-l="Pods that lack probes">2</td><td data-l="Shortest guaranteed start">5 s</td><td class="text" data-l="Policies">none</td></tr>
      </tbody></table></div>
      </section>
      <section aria-labelledby="

      checks:
      checks">
      <h2 id="checks">Checks</h2>
      <div class="wide" tabindex="0" role="group" aria-label="Findings by check"><table>
      <caption>Findings by check. Checks without findings have no row.</caption>
      <thead><tr><th scope="col">Check</th><th scope="col" class="text">Meaning of a finding</th><th scope="col">Denied</th><th scope="col">Workloads</th></tr></thead>
      <tbody>
      <tr id="check-c"><th scope="row"><a href="https://x/" rel="noreferrer">c</a></th><td class="text">s&lt;</td><td class="deny" data-l="Denied">2</td><td data-l="Workloads">1</td></tr>
      </tbody></table></div>
      </section>
      <section aria-labelledby="

      rows:
      p class="legend"><span>L</span></p>
      <div class="bar">
      <form id="tools" hidden>
      <label><span>Find</span> <input id="find" type="search" placeholder="name, kind, policy"></label>
      <label><span>Namespace</span> <select id="namespace"><option value="">all namespaces</option></select></label>
      <label><span>Verdict</span> <select id="verdict"><option value="">all verdicts</option></select></label>
      <label><span>Check</span> <select id="check"><option value="">all checks</option></select></label>
      <label><span>Order</span> <select id="order"><option value="">worst first</option><option value="namespace">namespace</option><option value="start">shortest start first</option><option value="name">name</option></select></label>
      <button type="button" id="open">Open all</button>
      <button type="button" class="clear" hidden>Clear filters</button>
      <output id="count" role="status" data-all="2"></output>
      </form>
      <div class="heads" aria-hidden="true"><span>Verdict</span><span>Workload</span><span>Findings</span><span>Time to start, not linear <svg/></span><span>Guaranteed</span></div>
      </div>
      <p id="none" hidden>No row matches the filters. <button type="button" class="clear">Clear filters</button></p>
      <template id="group"><section class="namespace"><h3><bdi></bdi> <small></small></h3></section></template>
      <div id="list">
      <details>1</details><details>2</details></div>
      <p class="cut">more &lt;</p

      policies:
      section aria-labelledby="policies">
      <h2 id="policies">Policies</h2>
      <div class="wide" tabindex="0" role="group" aria-label="Policies"><table>
      <caption>Policies in force</caption>
      <thead><tr><th scope="col">Policy</th><th scope="col">Workloads</th><th scope="col" class="text">Advice</th></tr></thead>
      <tbody>
      <tr><th scope="row"><bdi>p&lt;</bdi></th><td data-l="Workloads">1</td><td class="text"><p><bdi>m&lt;</bdi> (c)</p><p><bdi>m</bdi>; <bdi>r&lt;</bdi> (d)</p></td></tr>
      <tr><th scope="row"><bdi>q</bdi></th><td data-l="Workloads">0</td><td class="text"></td></tr>
      </tbody></table></div>
      </section>
      <

      exceptions:
      section aria-labelledby="exceptions">
      <h2 id="exceptions">Exceptions</h2>
      <div class="wide" tabindex="0" role="group" aria-label="Exceptions"><table>
      <caption>Exceptions, those that expire first on top</caption>
      <thead><tr><th scope="col">Exception</th><th scope="col" class="text">Checks</th><th scope="col" class="text">Workloads</th><th scope="col" class="text">Owner and reason</th><th scope="col">Expires</th><th scope="col" class="text">State</th></tr></thead>
      <tbody>
      <tr><th scope="row"><bdi>n&lt;</bdi></th><td class="text" data-l="Checks"><bdi>c</bdi></td><td class="text" data-l="Workloads"><bdi>w</bdi></td><td class="text" data-l="Owner and reason"><bdi>o</bdi>: <bdi>r</bdi></td><td data-l="Expires"><time datetime="i">d</time></td><td class="text"><i class="deny">Expired</i></td></tr>
      </tbody></table></div>
      </section>
      <"
    `));
});

describe('a row of the page', () => {
  it('is short without any content', () =>
    expect(workload(ROW)).toMatchInlineSnapshot(`
    "<details class=row data-v=5 data-g><summary><i class=clean>Clean</i><span class=what><b>&lt;web&gt;</b> <small>Pod</small><small class=in> in apps</small></span><span></span><svg/><span>no limit</span></summary><div><p class=place>a.yaml:1:1</div></details>
    "
  `));

  it('has its findings, containers, reasons and policies', () =>
    expect(
      workload({
        ...ROW,
        ...{ guaranteed: '20', otherChecks: 'c d', found: '1 denial', notInjected: ['no <'], policies: ['p<', 'q'] },
        findings: [
          { action: 'Denied', tone: 'deny', check: 'c', path: 'a.<wbr>b', message: 'm', remedy: 'r' },
          { action: 'Noted', tone: 'note', check: 'd', path: 'a', message: 'n', remedy: undefined },
        ],
        live: [
          {
            name: 'probe-failing',
            message: 'm<',
            pods: 1,
            facts: ['status: <', 'Pods: 2'],
            remedy: 'r',
            isFailing: true,
            command: 'kubectl <',
          },
          { name: 'missed-pods', message: 'm', pods: 1, facts: [], remedy: undefined, isFailing: false },
        ],
        containers: [
          {
            ...{ name: 'app<', role: 'native sidecar', summary: ['starts: x', 'hangs: y'], caveats: ['c<'] },
            probes: [
              { kind: 'livenessProbe', handler: 'h<', times: 't', from: undefined },
              { kind: 'readinessProbe', handler: 'h', times: 't', from: 'p<' },
            ],
            scenes: [{ id: 's0', width: 400, height: 150 }],
          },
          { name: 'b', role: '', summary: [], caveats: [], probes: [], scenes: [] },
        ],
      }).replaceAll('><', '>\n<'),
    ).toMatchInlineSnapshot(`
      "<details class=row data-v=5 data-g=20 data-c="c d">
      <summary>
      <i class=clean>Clean</i>
      <span class=what>
      <b>&lt;web&gt;</b> <small>Pod</small>
      <small class=in> in apps</small>
      </span>
      <span>1 denial</span>
      <svg/>
      <span>no limit</span>
      </summary>
      <div>
      <div class="live fail">
      <p>
      <b>probe-failing</b> <span>m&lt;</span>
      </p>
      <ul>
      <li>status: &lt;
      <li>Pods: 2
      </ul>
      <strong>r</strong>
      <code>kubectl &lt;</code>
      </div>
      <div class=live>
      <p>
      <b>missed-pods</b> <span>m</span>
      </p>
      </div>
      <ul class=found>
      <li>
      <i class=deny>Denied</i> <a href=#check-c>c</a> <span>m</span> <strong>r</strong> <code>a.<wbr>b</code>
      <li>
      <i class=note>Noted</i> <a href=#check-d>d</a> <span>n</span> <code>a</code>
      </ul>
      <h3>app&lt; <small>native sidecar</small>
      </h3>
      <p>starts: x
      hangs: y
      </p>
      <p class=caveat>c&lt;</p>
      <ul>
      <li>
      <b>livenessProbe</b> <span>h&lt;</span>, t
      <li>
      <b>readinessProbe</b> <span>h</span>, t; from <span>p&lt;</span>
      </ul>
      <svg class=scene viewBox="0 0 400 150" role=img aria-labelledby=s0t>
      <use href=#s0 />
      </svg>
      <h3>b</h3>
      <p>
      </p>
      <p>Why policies added no other probes, and what else to know:</p>
      <ul>
      <li>no &lt;
      </ul>
      <p class=place>a.yaml:1:1; policies: <span>p&lt;</span> <span>q</span>
      </div>
      </details>
      "
    `));
});
