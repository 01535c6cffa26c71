import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMPILED_PAGE_FILE, compiledPageText } from '../../../scripts/report/compiled-page.ts';
import { SCRIPT, STYLE } from '../../../src/explain/fleet-page/compiled-page.ts';
import { PAGE_SECURITY_POLICY } from '../../../src/explain/fleet-page/report-page.ts';
import { runProbewright } from '../../cli/run-probewright.ts';
import { fleet } from './fleet.ts';
import { HOSTILE_NAMES, hostileFleet } from './hostile-names.ts';
import { runs } from '../../support/runs.ts';

const MEGABYTE = 1_000_000;

/** The page of a fleet with the policies of the examples. */
async function pageOf(manifests: string): Promise<string> {
  const { stdout } = await runProbewright(
    ['report', '-', '--policies', 'examples/policies', '--now', '2026-11-20T12:00:00Z'],
    { stdin: manifests },
  );
  return stdout;
}

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

describe('the size of a report', () => {
  it('is below 2.1 MB for 320 workloads of which most have findings, and leaves nothing out', async () => {
    const page = await pageOf(fleet(320));
    expect(Buffer.byteLength(page)).toBeLessThan(2.1 * MEGABYTE);
    expect(page).not.toContain('are left out');
  });

  it('is below 3 MB for 1,000 workloads of which most have findings', async () => {
    const page = await pageOf(fleet(1000));
    expect(Buffer.byteLength(page)).toBeLessThan(3 * MEGABYTE);
    expect(page.match(/<details /g)).toHaveLength(1000);
  });

  it('is about half of that for 1,000 workloads with the same few kinds of probes', async () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `web-${index}`, namespace: `team-${index % 20}` },
      spec: { template: { spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 80 }] }] } } },
    }));
    const page = await pageOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    expect(Buffer.byteLength(page)).toBeLessThan(1.6 * MEGABYTE);
    expect(page).not.toContain('are left out');
  });

  it('names all checks of each row, also of a row that shows its first finding only', async () => {
    const page = await pageOf(fleet(1000));
    const rows = page.split('<details class=row ').slice(1);
    const checksOf = (row: string): Set<string> => {
      const shown = [...row.matchAll(/<a href="?#check-([a-z-]+)/g)].map(([, check = '']) => check);
      const others = /^[^>]* data-c="([^"]*)"/.exec(row)?.[1]?.split(' ') ?? [];
      return new Set([...shown, ...others]);
    };
    expect(rows.some((row) => row.includes(' data-c="') && row.includes('are left out'))).toBe(true);
    // The summary counts the workloads of each check.
    const summary = [...page.matchAll(/<tr id="check-([a-z-]+)">.*?<td data-l="Workloads">(\d+)<\/td><\/tr>/g)];
    expect(summary.length).toBeGreaterThan(3);
    for (const [, check = '', workloads] of summary)
      expect({ check, rows: rows.filter((row) => checksOf(row).has(check)).length }).toEqual({
        check,
        rows: Number(workloads),
      });
  });

  it.each([
    ['long names', 'payments-ledger-harbour-quartz-cobalt-'],
    ['names of three bytes a character', '支払い管理サービスの長い名前'],
    ['names that grow by escapes', '"<&\'>'],
  ])('is below 3 MB also for %s', async (_, word) => {
    const long = (most: number): string => word.repeat(300).slice(0, most);
    const items = Array.from({ length: 320 }, (__, index) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `${index}-${long(250)}`, namespace: `${index % 3}-${long(60)}` },
      spec: {
        template: {
          spec: {
            containers: Array.from({ length: 4 }, (___, each) => ({
              name: `${each}-${long(60)}`,
              livenessProbe: { exec: { command: [long(100), 'true'] }, periodSeconds: 1 + (index % 60) },
              readinessProbe: { httpGet: { port: long(100) }, timeoutSeconds: 1 + index },
            })),
          },
        },
      },
    }));
    const page = await pageOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    // Rows and drawings have 2.7 MB. One full row may go over the limit.
    expect(Buffer.byteLength(page)).toBeLessThan(2.85 * MEGABYTE);
    expect(page.match(/<details /g)).toHaveLength(320);
    expect(page).toMatch(/Times and (?:further )?findings are left out/);
  });

  it('keeps its limit for one workload with thousands of containers and findings', async () => {
    const containers = Array.from({ length: 2000 }, (_, index) => ({
      name: `c${index}`,
      livenessProbe: { httpGet: { path: `/${index}`, port: 'missing' }, periodSeconds: index + 1 },
    }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'many', namespace: 'apps' }, spec: { containers } };
    const page = await pageOf(JSON.stringify(pod));
    expect(Buffer.byteLength(page)).toBeLessThan(200_000);
    expect(page).toContain('Not shown: 1970 more containers.');
  });
});

describe('hostile names', () => {
  /** Every tag of a page with its attributes, without the values. */
  const tagsOf = (page: string): Set<string> =>
    new Set([...page.matchAll(/<\/?([a-zA-Z!][^\s>/]*)/g)].map(([, tag = '']) => tag.toLowerCase()));

  it('make no element, wherever a name or a value may stand', async () => {
    const known = tagsOf(await pageOf(fleet(40)));
    for (const name of HOSTILE_NAMES) {
      const page = await pageOf(hostileFleet(name));
      expect([...tagsOf(page)].filter((tag) => !known.has(tag))).toEqual([]);
      expect(page.match(/<script/g)).toHaveLength(1);
    }
  });

  it('leave no hidden character in the page, which could change how text around it is shown', async () => {
    for (const name of HOSTILE_NAMES)
      expect(await pageOf(hostileFleet(name))).not.toMatch(
        /[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0009\u000b-\u001f]/,
      );
  });

  it('of any text make no element', async () => {
    const known = tagsOf(await pageOf(hostileFleet('name')));
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...Array.from('<>"\'&/!- =\u202eabs\ud800😀')) }),
        async (name) => {
          expect([...tagsOf(await pageOf(hostileFleet(name)))].filter((tag) => !known.has(tag))).toEqual([]);
        },
      ),
      { numRuns: runs(50) },
    );
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
