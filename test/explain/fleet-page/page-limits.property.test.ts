import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { fleet } from './fleet.ts';
import { HOSTILE_NAMES, hostileFleet } from './hostile-names.ts';
import { pageOf } from './page-of-manifests.ts';
import { runs } from '../../support/runs.ts';

const MEGABYTE = 1_000_000;

describe('the size of a report', () => {
  let thousand: string;
  beforeAll(async () => {
    thousand = await pageOf(fleet(1000));
  });

  it('is below 2.1 MB for 320 workloads of which most have findings, and leaves nothing out', async () => {
    const page = await pageOf(fleet(320));
    expect(Buffer.byteLength(page)).toBeLessThan(2.1 * MEGABYTE);
    expect(page).not.toContain('are left out');
  });

  it('is below 3 MB for 1,000 workloads of which most have findings', () => {
    expect(Buffer.byteLength(thousand)).toBeLessThan(3 * MEGABYTE);
    expect(thousand.match(/<details /g)).toHaveLength(1000);
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

  it('names all checks of each row, also of a row that shows its first finding only', () => {
    const rows = thousand.split('<details class=row ').slice(1);
    const checksOf = (row: string): Set<string> => {
      const shown = [...row.matchAll(/<a href="?#check-([a-z-]+)/g)].map(([, check = '']) => check);
      const others = /^[^>]* data-c="([^"]*)"/.exec(row)?.[1]?.split(' ') ?? [];
      return new Set([...shown, ...others]);
    };
    expect(rows.some((row) => row.includes(' data-c="') && row.includes('are left out'))).toBe(true);
    // The summary counts the workloads of each check.
    const summary = [...thousand.matchAll(/<tr id="check-([a-z-]+)">.*?<td data-l="Workloads">(\d+)<\/td><\/tr>/g)];
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
    const items = Array.from({ length: 160 }, (__, index) => ({
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
    expect(page.match(/<details /g)).toHaveLength(160);
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
  const pages: string[] = [];
  beforeAll(async () => {
    for (const name of HOSTILE_NAMES) pages.push(await pageOf(hostileFleet(name)));
  });

  /** Every tag of a page with its attributes, without the values. */
  const tagsOf = (page: string): Set<string> =>
    new Set([...page.matchAll(/<\/?([a-zA-Z!][^\s>/]*)/g)].map(([, tag = '']) => tag.toLowerCase()));

  it('make no element, wherever a name or a value may stand', async () => {
    const known = tagsOf(await pageOf(fleet(40)));
    for (const page of pages) {
      expect([...tagsOf(page)].filter((tag) => !known.has(tag))).toEqual([]);
      expect(page.match(/<script/g)).toHaveLength(1);
    }
  });

  it('leave no hidden character in the page, which could change how text around it is shown', () => {
    for (const page of pages) expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0009\u000b-\u001f]/);
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
      { numRuns: runs(50, 5) },
    );
  });
});
