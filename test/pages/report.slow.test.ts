import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProbewright } from '../cli/run-probewright.ts';
import { failingFleet, fleet, fleetWithExceptions } from '../explain/fleet-page/fleet.ts';
import { HOSTILE_NAMES, hostileFleet } from '../explain/fleet-page/hostile-names.ts';
import { accessibilityFindings } from './bed/accessibility.ts';
import { startBrowser, whyNoBrowser } from './bed/chromium.ts';
import { brokenWords } from './bed/legibility.ts';
import { nameOfView, openPage, VIEWS, WIDE } from './bed/open-page.ts';
import { screenshotDifference } from './bed/screenshots.ts';
import type { Browser } from 'puppeteer-core';

async function reportOf(manifests: string): Promise<string> {
  const { stdout } = await runProbewright(
    ['report', '-', '--policies', 'examples/policies', '--now', '2026-11-20T12:00:00Z'],
    { stdin: manifests },
  );
  return stdout;
}

/** Names of the workloads that are shown, in their order. */
const SHOWN =
  "[...document.querySelectorAll('.row')].filter((row) => row.offsetParent).map((row) => row.querySelector('b').textContent)";

/** Writes into a field as a person does. */
const choose = (id: string, value: string): string =>
  `{ const field = document.querySelector('#${id}'); field.value = ${JSON.stringify(value)};` +
  "field.dispatchEvent(new Event(field.tagName === 'INPUT' ? 'input' : 'change')); }";

describe.skipIf(whyNoBrowser() !== undefined)('the page of a report in a browser', () => {
  let browser: Browser;
  let report: string;
  beforeAll(async () => {
    browser = await startBrowser();
    report = await reportOf(fleet(24, 4));
  });
  afterAll(async () => {
    await browser.close();
  });

  it.each([...VIEWS, { ...WIDE, scripting: false }].map((view) => [nameOfView(view), view] as const))(
    'is as it was at %s, asks for nothing, and is readable for all',
    async (name, view) => {
      const open = await openPage(browser, report, view);
      await open.evaluate("for (const row of [...document.querySelectorAll('.row')].slice(0, 2)) row.open = true");
      // A head that sticks is a layer of its own, whose edge may fall on either of two pixels.
      await open.evaluate("document.querySelector('.bar').style.position = 'static'");
      expect(await screenshotDifference(open, `report-${name}`, 2400)).toBeUndefined();
      expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
      // axe cannot see the ground of a table that scrolls, nor judge a single digit.
      expect(await accessibilityFindings(open, ['color-contrast'])).toEqual([]);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    },
  );

  it.each(VIEWS.map((view) => [nameOfView(view), view] as const))(
    'shows first what fails, with its cause and its facts, at %s',
    async (name, view) => {
      const open = await openPage(browser, await reportOf(failingFleet()), view);
      // What the other picture shows would leave no room for the rows.
      await open.evaluate(
        "for (const one of document.querySelectorAll('section:has(#checks), .found, .scene')) one.remove()",
      );
      await open.evaluate("for (const row of [...document.querySelectorAll('.row')].slice(0, 3)) row.open = true");
      await open.evaluate("document.querySelector('.bar').style.position = 'static'");
      expect(await screenshotDifference(open, `failing-${name}`, 2400)).toBeUndefined();
      expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
      expect(await accessibilityFindings(open, ['color-contrast'])).toEqual([]);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    },
  );

  it('filters by the tiles, which count each workload once', async () => {
    const open = await openPage(browser, await reportOf(failingFleet()));
    const rows = async (): Promise<number> => ((await open.evaluate(SHOWN)) as unknown[]).length;
    const tiles = (await open.evaluate(
      "[...document.querySelectorAll('.tiles a[data-verdict]')].map((tile) => [tile.dataset.verdict, Number(tile.querySelector('b').textContent)])",
    )) as (readonly [string, number])[];
    for (const [value, count] of tiles) {
      await open.evaluate(`document.querySelector('.tiles a[data-verdict="${value}"]').click()`);
      expect([value, await rows()]).toEqual([value, count]);
    }
    expect(tiles.slice(0, 2)).toEqual([
      ['', 12],
      ['Failing', 3],
    ]);
    expect(tiles.slice(1).reduce((sum, [, count]) => sum + count, 0)).toBe(12);
    await open.evaluate("document.querySelector('.tiles a[data-check=missed-pods]').click()");
    expect(await rows()).toBe(2);
    expect(open.complaints).toEqual([]);
    await open.close();
  });

  it('shows all rows and no tools where no scripts run, and rows open by themselves', async () => {
    const open = await openPage(browser, report, { ...WIDE, scripting: false });
    expect(await open.evaluate(`${SHOWN}.length`)).toBe(24);
    expect(await open.evaluate("document.querySelector('#tools').offsetParent")).toBeNull();
    await open.page.click('.row summary');
    expect(await open.evaluate("document.querySelector('.row .place').offsetHeight > 0")).toBe(true);
    await open.close();
  });

  it('filters by words, namespace, verdict and check, and says how many rows are left', async () => {
    const open = await openPage(browser, report);
    const rows = (): Promise<unknown> => open.evaluate(SHOWN);
    const all = (await rows()) as string[];
    await open.evaluate(choose('find', 'Deployment payments'));
    const found = (await rows()) as string[];
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all.length);
    expect(await open.evaluate("document.querySelector('#count').textContent")).toBe(`${found.length} of 24 workloads`);
    await open.evaluate(choose('find', ''));
    await open.evaluate(choose('namespace', 'shop'));
    expect(await rows()).toEqual(all.filter((name) => Number(/\d+$/.exec(name)) % 4 === 1));
    await open.evaluate(choose('namespace', ''));
    await open.evaluate(choose('verdict', 'Denied'));
    const denied = await open.evaluate("Number(document.querySelector('.tiles .deny b').textContent)");
    expect(((await rows()) as string[]).length).toBe(denied);
    await open.evaluate(choose('verdict', ''));
    await open.evaluate("document.querySelector('#check-named-port button').click()");
    expect(await open.evaluate("'Show ' + document.querySelectorAll('.row:not([hidden])').length")).toBe(
      await open.evaluate("document.querySelector('#check-named-port button').textContent"),
    );
    await open.close();
  });

  it('says that workloads without a row are not searched, and shows no row for a namespace without one', async () => {
    // As for a fleet with more workloads than rows: the namespace shop has no row.
    const rows = report.split(/(?=<details class=row)|(?<=<\/details>)/);
    const open = await openPage(browser, rows.filter((part) => !part.includes('<small class=in> in shop<')).join(''));
    const count = (): Promise<unknown> => open.evaluate("document.querySelector('#count').textContent");
    const left = 'rows. 6 workloads have no row, and are not searched.';
    expect(await count()).toBe(`18 of 18 ${left}`);
    await open.evaluate("document.querySelector('a[data-namespace=shop]').click()");
    expect(await open.evaluate(SHOWN)).toEqual([]);
    expect(await count()).toBe(`0 of 18 ${left}`);
    await open.evaluate(choose('namespace', ''));
    expect(await open.evaluate(`${SHOWN}.length`)).toBe(18);
    await open.evaluate(choose('order', 'namespace'));
    expect(await open.evaluate("document.querySelectorAll('.namespace').length")).toBe(3);
    await open.close();
  });

  it('orders rows by name, by start and by namespace, and back by verdict', async () => {
    const open = await openPage(browser, report);
    const before = await open.evaluate(SHOWN);
    await open.evaluate(choose('order', 'name'));
    expect(await open.evaluate(SHOWN)).toEqual([...(before as string[])].sort());
    await open.evaluate(choose('order', 'namespace'));
    const namespaces = (await open.evaluate(
      "[...document.querySelectorAll('.row .in')].map(({ textContent }) => textContent)",
    )) as string[];
    expect(namespaces).toEqual([...namespaces].sort());
    await open.evaluate(choose('order', ''));
    const levels = await open.evaluate("[...document.querySelectorAll('.row')].map((row) => Number(row.dataset.v))");
    expect(levels).toEqual([...(levels as number[])].sort((a, b) => a - b));
    await open.evaluate(choose('order', 'start'));
    const starts = (await open.evaluate(
      "[...document.querySelectorAll('.row')].map((row) => row.dataset.g)",
    )) as string[];
    const seconds = starts.map((start) => (start === '' ? Infinity : Number(start)));
    expect(seconds).toEqual([...seconds].sort((a, b) => (a === b ? 0 : a - b)));
    await open.evaluate(choose('order', ''));
    expect(await open.evaluate(SHOWN)).toEqual(before);
    await open.close();
  });

  it('keeps the choices in the address, and a link with choices shows the same rows', async () => {
    const open = await openPage(browser, report);
    await open.evaluate(choose('verdict', 'Warned'));
    await open.evaluate(choose('order', 'start'));
    const [rows, hash] = [await open.evaluate(SHOWN), String(await open.evaluate('location.hash'))];
    expect(hash).toBe('#verdict=Warned&order=start');
    await open.page.goto(`${open.page.url().split('#')[0] ?? ''}${hash}`);
    await open.page.reload();
    expect(await open.evaluate(SHOWN)).toEqual(rows);
    expect(open.complaints).toEqual([]);
    await open.close();
  });

  it('can be used with the keyboard alone', async () => {
    const open = await openPage(browser, report);
    await open.evaluate("document.querySelector('.row summary').focus()");
    await open.page.keyboard.press('Enter');
    expect(await open.evaluate("document.querySelector('.row').open")).toBe(true);
    await open.page.keyboard.press('Tab');
    expect(await open.evaluate("document.querySelector('.row').contains(document.activeElement)")).toBe(true);
    await open.close();
  });

  it('fits on paper, with all columns of its tables and no broken word', async () => {
    // A4 with margins of 1 cm, at 96 dots an inch.
    const open = await openPage(browser, await reportOf(fleetWithExceptions()), { ...WIDE, width: 718 });
    await open.page.emulateMediaType('print');
    await open.evaluate("for (const row of document.querySelectorAll('.row')) row.open = true");
    expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(718);
    expect(await open.evaluate("document.querySelectorAll('table').length")).toBe(5);
    expect(await brokenWords(open)).toEqual([]);
    await open.close();
  });

  it('puts the rows that match into the list at once, and writes to no other row', async () => {
    const open = await openPage(browser, await reportOf(fleet(60)));
    await open.evaluate(`
      globalThis.records = [];
      new MutationObserver((found) => records.push(...found)).observe(document.querySelector('#list'), { childList: true, subtree: true, attributes: true });
      undefined;
    `);
    await open.evaluate(choose('find', 'web'));
    await open.evaluate(choose('order', 'namespace'));
    const written = (await open.evaluate(
      'records.map(({ type, target }) => `${type} of ${target.className}`)',
    )) as string[];
    expect(written).not.toContain('attributes of row');
    // Rows move by the list, not one by one.
    expect(written.length).toBeLessThan(40);
    await open.close();
  });

  describe('of 2,000 workloads', () => {
    let large: string;
    beforeAll(async () => {
      large = await reportOf(fleet(2000, 40));
    });

    it.each([1280, 390])(
      'is no endless page, and keeps filters and their counter in sight, at %i px',
      async (width) => {
        const open = await openPage(browser, large, { ...WIDE, width });
        expect(await open.evaluate('document.documentElement.scrollHeight')).toBeLessThan(20_000);
        expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await open.evaluate("document.querySelectorAll('.row')[90].scrollIntoView({ block: 'end' })");
        const [form, counter, height] = (await open.evaluate(
          "['#tools', '#count'].map((one) => document.querySelector(one).getBoundingClientRect().top).concat(document.querySelector('.bar').getBoundingClientRect().height || document.querySelector('#tools').offsetHeight)",
        )) as [number, number, number];
        expect(form).toBeGreaterThanOrEqual(0);
        expect(counter).toBeLessThan(200);
        // What sticks leaves room for rows.
        expect(height).toBeLessThan(200);
        await open.close();
      },
    );

    it('has each row once, below lines that open 100 of them, and all of them on paper', async () => {
      const open = await openPage(browser, large);
      expect(await open.evaluate("new Set(document.querySelectorAll('#list .row')).size")).toBe(2000);
      expect(await open.evaluate("document.querySelectorAll('#list > .row').length")).toBe(100);
      expect(await open.evaluate("document.querySelectorAll('.more').length")).toBe(19);
      expect(await open.evaluate("document.querySelector('.more > summary').textContent")).toBe(
        'Workloads 101 to 200 of 2000',
      );
      const seen = (): Promise<unknown> =>
        open.evaluate("[...document.querySelectorAll('.row > summary')].filter((one) => one.offsetHeight > 0).length");
      await open.page.click('.more > summary');
      expect(await open.evaluate("document.querySelectorAll('.more[open] > .row').length")).toBe(100);
      await open.evaluate(choose('find', 'checkout-1999'));
      await open.evaluate(choose('find', ''));
      await open.page.emulateMediaType('print');
      expect(await seen()).toBe(2000);
      await open.close();
    });

    it('filters and groups all rows, also those of closed lines', async () => {
      const open = await openPage(browser, large);
      await open.evaluate(choose('find', '1999'));
      expect(await open.evaluate(SHOWN)).toEqual([expect.stringMatching(/-1999$/)]);
      await open.evaluate(choose('find', ''));
      await open.evaluate(choose('order', 'namespace'));
      const names = (await open.evaluate(
        "[...document.querySelectorAll('.row .in')].map(({ textContent }) => textContent)",
      )) as string[];
      expect(names).toHaveLength(2000);
      expect(names).toEqual([...names].sort());
      await open.close();
    });
  });

  it('says when no row matches, and clears the filters', async () => {
    for (const view of VIEWS) {
      const open = await openPage(browser, report, view);
      const none = (): Promise<unknown> => open.evaluate("document.querySelector('#none').offsetParent !== null");
      const clear = (): Promise<unknown> =>
        open.evaluate("document.querySelector('#tools .clear').offsetParent !== null");
      expect([await none(), await clear()]).toEqual([false, false]);
      await open.evaluate(choose('verdict', 'Denied'));
      expect([await none(), await clear()]).toEqual([false, true]);
      await open.evaluate(choose('find', 'no such name'));
      expect([await none(), await clear()]).toEqual([true, true]);
      expect(await accessibilityFindings(open, ['color-contrast'])).toEqual([]);
      await open.evaluate("document.querySelector('#none .clear').click()");
      expect([await none(), await clear(), await open.evaluate(`${SHOWN}.length`)]).toEqual([false, false, 24]);
      expect(await open.evaluate('document.activeElement.id + location.hash')).toBe('find');
      await open.close();
    }
  });

  it('of no workload says what to type', async () => {
    const empty = await reportOf('');
    for (const view of VIEWS) {
      const open = await openPage(browser, empty, view);
      expect(await open.evaluate("document.querySelector('.step code').textContent")).toBe(
        'probewright report -A > report.html',
      );
      expect(await open.evaluate("document.querySelector('#none').offsetParent")).toBeNull();
      expect(await accessibilityFindings(open, ['color-contrast'])).toEqual([]);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    }
  });

  it('names the checks of a denied row, as it names the causes of a failing one', async () => {
    const open = await openPage(browser, await reportOf(failingFleet()));
    const rows = (await open.evaluate(
      "[...document.querySelectorAll('.row')].map((row) => [row.querySelector('i').textContent, row.querySelector('.what + span').textContent])",
    )) as (readonly [string, string])[];
    const denied = rows.filter(([verdict]) => verdict === 'Denied');
    expect(denied.length).toBeGreaterThan(0);
    for (const [, found] of denied) expect(found).toMatch(/^\d+ denials? \(named-port/);
    expect(rows.slice(0, 3).map(([verdict]) => verdict)).toEqual(['Failing', 'Failing', 'Failing']);
    await open.close();
  });

  it.each(HOSTILE_NAMES.map((name) => [JSON.stringify(name).slice(0, 40), name] as const))(
    'is harmless with the name %s',
    async (_, name) => {
      const open = await openPage(browser, await reportOf(hostileFleet(name)), { ...WIDE, width: 390 });
      await open.evaluate("document.querySelector('#open').click()");
      await open.evaluate(choose('find', name.slice(0, 20)));
      await open.evaluate(choose('order', 'name'));
      const attributes = await open.evaluate(
        "[...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames()).filter((name) => name.startsWith('on'))",
      );
      expect(attributes).toEqual([]);
      expect(await open.evaluate("document.querySelectorAll('script, img, iframe, object').length")).toBe(1);
      expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    },
  );
});
