import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMPILED_PAGE_FILE, compiledPageText } from '../../../scripts/report/compiled-page.ts';
import { SCRIPT, STYLE } from '../../../src/explain/fleet-page/compiled-page.ts';
import { PAGE_SECURITY_POLICY, legendMarkup, reportPage } from '../../../src/explain/fleet-page/report-page.ts';
import { runProbewright } from '../../cli/run-probewright.ts';
import { NOW } from '../../support/now.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import { finding, reported } from '../explained-workloads.ts';
import { fleet } from './fleet.ts';
import { pageOf } from './page-of-manifests.ts';

describe('the compiled page', () => {
  it('is what its sources make; else run npm run generate:report', async () => {
    expect(readFileSync(COMPILED_PAGE_FILE, 'utf8')).toBe(await compiledPageText());
  });

  it('has at most 8 KB of script', () => expect(SCRIPT.length).toBeLessThanOrEqual(8 * 1024));

  it('allows its own style and script by their hashes, and no request', () => {
    const source = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(PAGE_SECURITY_POLICY).toBe(
      `default-src 'none'; style-src ${source(STYLE)}; script-src ${source(SCRIPT)}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
  });
});

describe('a report', () => {
  let page: string;
  beforeAll(async () => {
    page = await pageOf(fleet(40));
  });

  it('begins its head with the policy, because a policy holds only for what follows it', () =>
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta http-equiv="Content-Security-Policy" /));

  it('has one heading of the first level, one style and one script', () => {
    const count = (pattern: RegExp): number => page.match(pattern)?.length ?? 0;
    expect([count(/<h1[ >]/g), count(/<style[ >]/g), count(/<script[ >]/g)]).toEqual([1, 1, 1]);
  });

  it('refers to nothing outside of the page but to pages of documentation, by links', () => {
    const addresses = [...page.matchAll(/(\w+)="?((?:https?:)?\/\/[^">\s]+)/g)].map(([, attribute, url = '']) => [
      attribute,
      new URL(url).host,
    ]);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toEqual(['href', 'github.com']);
  });

  it('says of a namespace without policies that it has none', async () => {
    const { stdout } = await runProbewright(['report', '-'], { stdin: fleet(1) });
    expect(stdout).toContain('<td class="text" data-l="Policies">none</td>');
  });

  it('says nothing of workloads without a row where each has a row', () => expect(page).not.toMatch(/<p class=.cut/));

  it('is the same for the same inputs and the same instant, byte by byte', async () => {
    expect(await pageOf(fleet(40))).toBe(page);
  });

  it('does not depend on the order of the workloads, but for their places in the file', async () => {
    const withoutPlaces = (text: string): string => text.replaceAll(/<p class=place>[^;]*/g, '');
    const { items, ...list } = JSON.parse(fleet(40)) as { items: unknown[] };
    const reversed = await pageOf(JSON.stringify({ ...list, items: items.reverse() }));
    const rows = (text: string): string[] => withoutPlaces(text).match(/<summary>.*?<\/summary>/g) ?? [];
    expect(rows(reversed)).toEqual(rows(page));
  });

  it('refers to drawings and places of the page that exist, each once', () => {
    const ids = [...page.matchAll(/ id=["]?([\w-]+)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const used = [...page.matchAll(/(?:href="?#|labelledby="?)([\w-]+)/g)].map(([, id]) => id);
    expect(used.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('the page of a report', () => {
  const page = (others: Partial<Parameters<typeof reportPage>[0]> = {}): string =>
    reportPage({ subject: 'my "fleet"', now: NOW, workloads: [], snapshot: policySet(), problems: [], ...others });
  const rowsOf = (text: string): (string | undefined)[] =>
    Array.from(text.matchAll(/<span class=what>(.*?)<\/span>/g), ([, what]) => what && textOf(what));

  it('tells what it is about, and the instant of the verdicts', () => {
    const text = page();
    expect(text).toContain('<title>Probe report: my &quot;fleet&quot;</title>');
    expect(text).toContain('<time datetime="2026-07-01T00:00:00.000Z">2026-07-01 00:00 UTC</time>');
    expect(text).not.toContain('Not everything could be read');
    expect(page({ problems: ['a.yaml: <broken>'] })).toContain('<li><bdi>a.yaml: &lt;broken&gt;</bdi></li>');
  });

  it('has its namespaces by name, and its workloads by name and kind within a namespace', () => {
    const text = page({
      workloads: [
        reported({ namespace: 'b', name: 'a' }),
        reported({ namespace: 'a', name: 'z' }),
        reported({ namespace: 'a', name: 'b', kind: 'StatefulSet' }),
        reported({ namespace: 'a', name: 'b', kind: 'Deployment' }),
      ],
    });
    expect(Array.from(text.matchAll(/ data-namespace="(\w+)"/g), ([, name]) => name)).toEqual(['a', 'b']);
    expect(rowsOf(text)).toEqual(['b Deployment in a', 'b StatefulSet in a', 'z Pod in a', 'a Pod in b']);
    expect(text).toContain('Probes of 4 containers');
    expect(page({ workloads: [reported()] })).toContain('Probes of 1 container<');
  });

  it('counts the workloads that have no row, and shows the worst', () => {
    const workloads = [reported({ name: 'good' }), reported({ name: 'bad' }, { violations: [finding('Deny')] })];
    const text = page({ workloads, mostRows: 1 });
    expect(rowsOf(text)).toEqual(['bad Pod in apps']);
    expect(text).toContain('1 more workload without a row here: the page shows the worst 1. The summaries count all.');
    expect(page({ workloads })).not.toContain('without a row here');
    expect(page({ workloads: [...workloads, ...workloads.map((each) => ({ ...each }))], mostRows: 2 })).toContain(
      '2 more workloads without a row here',
    );
  });

  it('has its policies by name, with the workloads that they are for and the advice on them', () => {
    const snapshot = policySet(policyDocument({}, 'b'), policyDocument({}, 'a'), clusterPolicyDocument({}, 'c'));
    const text = page({
      snapshot,
      workloads: [reported({}, { policies: ['ProbePolicy/apps/b'] })],
      advice: new Map([['ProbePolicy/apps/b', [{ check: 'x', message: 'shorten it', remedy: 'set 5' }]]]),
    });
    const [, policies = ''] = /<h2 id="policies">(.*?)<\/section>/s.exec(text) ?? [];
    expect(textOf(policies)).toMatch(
      /ClusterProbePolicy\/c 0 .*ProbePolicy\/apps\/a 0 .*ProbePolicy\/apps\/b 1 shorten it ; set 5 \(x\)/,
    );
  });

  it('has a column for Pods that lack probes where some do, and a state for what fails where that is known', () => {
    const live = (name: string) => [{ name, message: 'm', pods: 2 }];
    const column = '<th scope="col">Pods that lack probes</th>';
    expect(page({ workloads: [reported({}, { live: live('missed-pods') })] })).toContain(column);
    expect(page({ workloads: [reported()] })).not.toContain(column);
    expect(page({ workloads: [reported()], isLive: true })).toContain('<th scope="col">Failing</th>');
    expect(page({ workloads: [reported()] })).not.toContain('<th scope="col">Failing</th>');
  });

  it('explains learned starts where a container has some', () => {
    const [plain] = [reported()];
    const learned = {
      ...plain,
      explanation: {
        ...plain.explanation,
        containers: plain.explanation.containers.map((each) => ({ ...each, measured: [5] })),
      },
    };
    expect(page({ workloads: [plain] })).not.toContain('a learned start<');
    expect(page({ workloads: [plain, learned] })).toContain('a learned start<');
    expect(legendMarkup(true)).toMatchInlineSnapshot(
      `"<span><svg viewBox="0 0 26 12" aria-hidden=true><path class=safe d="M0 6h26"/></svg>guaranteed time to start</span> <span><svg viewBox="0 0 26 12" aria-hidden=true><path class=unsure d="M0 6h26"/></svg>may pass or be killed</span> <span><svg viewBox="0 0 26 12" aria-hidden=true><path class=rest d="M0 6h26"/></svg>killed</span> <span><svg viewBox="0 0 26 12" aria-hidden=true><path class=free d="M0 6h26"/></svg>no limit</span> <span><svg viewBox="0 0 26 12" aria-hidden=true><circle class=dot cx=13 cy=6 r=3.5 /></svg>a learned start</span> <span><svg viewBox="0 0 26 12" aria-hidden=true><circle class=late cx=13 cy=6 r=3.5 /></svg>a learned start that is not guaranteed</span> <span>Strips: 0 s to 1 h, the same scale for all. The scale is not linear: short times get more room.</span>"`,
    );
    expect(legendMarkup(true).startsWith(legendMarkup(false).replace(/ <span>Strips.*/, ''))).toBe(true);
    expect(legendMarkup(false)).not.toContain('circle');
  });
});

describe('the links to the parts of a report', () => {
  const linksOf = async (stdin: string): Promise<string[]> => {
    const { stdout } = await runProbewright(['report', '-', '--now', '2026-11-20T12:00:00Z'], { stdin });
    const [, links = ''] = /<nav[^>]*>(.*?)<\/nav>/s.exec(stdout) ?? [];
    return [...links.matchAll(/href="#(\w+)">(\w+)</g)].map(([, id, title]) => `${id} ${title}`);
  };

  it('are two where there is nothing to show', async () =>
    expect(await linksOf('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n')).toEqual([
      'summary Summary',
      'workloads Workloads',
    ]));

  it('lead to each part that has one line', async () => {
    const pod = '{ containers: [{ name: app, image: x, livenessProbe: { httpGet: { path: /, port: web } } }] }';
    const web = `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web, namespace: a }, spec: { template: { spec: ${pod} } } }`;
    const policy =
      '{ apiVersion: probewright.dev/v1alpha1, kind: ProbePolicy, metadata: { name: p, namespace: a }, spec: {} }';
    const excepted =
      '{ checks: [exec-cost], workloads: [{ kind: Deployment, name: web }], owner: team, reason: The image cannot change., expires: "2027-01-01T00:00:00Z" }';
    const exception = `{ apiVersion: probewright.dev/v1alpha1, kind: ProbeException, metadata: { name: e, namespace: a }, spec: ${excepted} }`;
    expect(await linksOf([web, policy, exception].join('\n---\n'))).toEqual([
      'summary Summary',
      'namespaces Namespaces',
      'checks Checks',
      'workloads Workloads',
      'policies Policies',
      'exceptions Exceptions',
    ]);
  });
});

describe('facts in a report', () => {
  const exception = (name: string, spec: string): string => `---
apiVersion: probewright.dev/v1alpha1
kind: ProbeException
metadata: { name: ${name}, namespace: apps }
spec: { checks: [named-port], owner: team-a, reason: The vendor image answers on one port., ${spec} }
`;
  const profile = `apiVersion: probewright.dev/v1alpha1
kind: StartupProfile
metadata: { name: deployment-catalog-gateway-0, namespace: payments }
status:
  workload: { apiVersion: apps/v1, kind: Deployment, name: catalog-gateway-0 }
  containers: [{ name: app, samples: [{ seconds: 41, basis: startup, at: "2026-11-20T10:00:00Z", id: a }] }]
`;

  it('are exceptions with their ends, and whether an end has passed', async () => {
    const page = await pageOf(
      `${fleet(1)}\n` +
        exception('named', 'workloads: [{ kind: Deployment, name: web }], expires: "2026-11-30T00:00:00Z"') +
        exception('selected', 'workloadSelector: { matchLabels: { app: old } }, expires: "2026-11-20T12:00:00Z"'),
    );
    const rows = [...page.matchAll(/<tr><th scope="row"><bdi>apps\/.*?<\/tr>/gs)].map(([row]) => textOf(row));
    expect(rows).toEqual([
      'apps/selected named-port Pods with app=old team-a: The vendor image answers on one port. 2026-11-20 Expired',
      'apps/named named-port Deployment web team-a: The vendor image answers on one port. 2026-11-30 Expires in 9 days',
    ]);
  });

  it('are the learned starts of a container, on its strip', async () => {
    const [without, withStarts] = [await pageOf(fleet(1)), await pageOf(`${fleet(1)}\n---\n${profile}`)];
    expect([without.includes('learned start'), withStarts.includes('learned start')]).toEqual([false, true]);
  });
});

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' :', ':')
    .trim();
}
