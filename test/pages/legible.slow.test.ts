import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundPage } from '../../scripts/playground/playground-page.ts';
import { linkFragment } from '../../src/package/playground/share-link.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { fleet } from '../explain/fleet-page/fleet.ts';
import { startBrowser, whyNoBrowser } from './bed/chromium.ts';
import { cutHeadings, brokenNames, forceFont, smallestText, touchingHeadings, UNFOLD } from './bed/legibility.ts';
import { nameOfView, openPage, VIEWS, WIDE, type OpenPage, type View } from './bed/open-page.ts';
import type { Browser } from 'puppeteer-core';

/** The grace period of an hour breaks the axis of its time lines; the annotation makes a long path. */
const LONG_GRACE = `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: slow-to-stop, namespace: shop }
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 3600
      containers:
        - name: app
          ports: [{ name: http, containerPort: 8080 }]
          startupProbe: { httpGet: { path: /livez, port: http }, periodSeconds: 2, failureThreshold: 30 }
          livenessProbe: { httpGet: { path: /livez, port: htpp } }
          readinessProbe: { httpGet: { path: /readyz, port: http } }
`;

const PHONE: View = { ...WIDE, width: 390 };
const OPEN_ALL = "for (const row of document.querySelectorAll('.row')) row.open = true";

describe.skipIf(whyNoBrowser() !== undefined)('the pages', () => {
  let browser: Browser;
  let report: string;
  let playground: string;
  beforeAll(async () => {
    browser = await startBrowser();
    playground = await playgroundPage();
    const args = ['report', '-', '--policies', 'examples/policies', '--now', '2026-11-20T12:00:00Z'];
    report = (await runProbewright(args, { stdin: `${fleet(12, 3)}\n${LONG_GRACE}` })).stdout;
  });
  afterAll(async () => {
    await browser.close();
  });

  const openReport = async (view: View): Promise<OpenPage> => {
    const open = await openPage(browser, report, view);
    await open.evaluate(OPEN_ALL);
    return open;
  };
  const openPlayground = async (view: View): Promise<OpenPage> => {
    const open = await openPage(browser, playground, view);
    const hash = linkFragment({ manifests: LONG_GRACE.slice(4), policies: '' });
    await open.page.evaluate(
      `new Promise((done) => { addEventListener('hashchange', () => done(), { once: true }); location.hash = '${hash}'; })`,
    );
    return open;
  };

  describe.each(VIEWS.map((view) => [nameOfView(view), view] as const))('at %s', (_, view) => {
    it.each(['plain', 'wide', 'narrow'] as const)(
      'cut off no heading and no label, and let no headings touch, with a %s font',
      async (font) => {
        for (const open of [await openReport(view), await openPlayground(view)]) {
          await forceFont(open, font);
          expect(await cutHeadings(open)).toEqual([]);
          expect(await touchingHeadings(open)).toEqual([]);
          expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
          await open.close();
        }
      },
    );
  });

  it.each(
    [WIDE, PHONE].flatMap((view) => (['plain', 'wide'] as const).map((font) => [view.width, font, view] as const)),
  )('break no line inside the name of a field at %i px with a %s font', async (_, font, view) => {
    for (const [open, least] of [
      [await openReport(view), 100],
      [await openPlayground(view), 1],
    ] as const) {
      await forceFont(open, font);
      const { names, broken } = await brokenNames(open);
      expect(names).toBeGreaterThan(least);
      expect(broken).toEqual([]);
      await open.close();
    }
  });

  it.each([WIDE, PHONE])('have finding and remedy on lines of their own at $width px', async (view) => {
    const open = await openReport(view);
    const below = (item: string, finding: string, remedy: string): string =>
      `[...document.querySelectorAll('${item}')].filter((item) => item.querySelector('${remedy}')).map((item) =>
        item.querySelector('${remedy}').getBoundingClientRect().top >= item.querySelector('${finding}').getBoundingClientRect().bottom - 1)`;
    const inReport = (await open.evaluate(below('.found li', 'a + span', 'strong'))) as boolean[];
    expect(inReport.length).toBeGreaterThan(10);
    expect(inReport).not.toContain(false);
    await open.close();
    const tried = await openPlayground(view);
    expect(await tried.evaluate(below('#findings li', 'strong', 'strong + div'))).toContain(true);
    await tried.close();
  });

  it('say beside the number of missing probes that not every container needs each probe', async () => {
    const open = await openReport(WIDE);
    const note =
      "[...document.querySelectorAll('table')].find((table) => table.textContent.includes('Missing')).parentElement.nextElementSibling";
    expect(await open.evaluate(`${note}.textContent`)).toMatch(
      /^A missing probe is not an error.*[Nn]ot every container needs/,
    );
    await open.close();
  });

  describe.each([WIDE, PHONE])('strips at $width px', (view) => {
    it('say that their scale is not linear, and have ticks below the times of the scale', async () => {
      const open = await openReport(view);
      expect(await open.evaluate("document.querySelector('.legend').textContent")).toContain('not linear');
      expect(await open.evaluate("document.querySelector('.heads').textContent")).toContain('not linear');
      const texts = "[...document.querySelectorAll('.scale text')]";
      expect(await open.evaluate(`${texts}.map(({ textContent }) => textContent)`)).toEqual([
        '0',
        '10 s',
        '1 min',
        '10 min',
        '1 h',
      ]);
      const places = `${texts}.slice(1, 4).map((text) => { const { left, right } = text.getBoundingClientRect(); return (left + right) / 2; })`;
      const labels = (await open.evaluate(places)) as number[];
      const strips = "[...document.querySelectorAll('.strip')]";
      const lefts = (await open.evaluate(`${strips}.map((strip) => strip.getBoundingClientRect().left)`)) as number[];
      const d = String(await open.evaluate("document.querySelector('#ticks path').getAttribute('d')"));
      const ticks = [...d.matchAll(/M(\d+) /g)].map(([, x]) => Number(x));
      expect(ticks).toHaveLength(3);
      for (const left of lefts)
        for (const [index, tick] of ticks.entries())
          expect(Math.abs(left + tick - (labels[index] ?? 0))).toBeLessThan(1.5);
      expect(
        await open.evaluate(`${strips}.every((strip) => strip.querySelector('use').getAttribute('href') === '#ticks')`),
      ).toBe(true);
      expect(await smallestText(open, '.scale text')).toBeGreaterThanOrEqual(10);
      await open.close();
    });
  });

  it.each([WIDE, PHONE])(
    'have time lines with ticks, that say when their scale is not linear, at $width px',
    async (view) => {
      for (const open of [await openReport(view), await openPlayground(view)]) {
        await open.evaluate(`{ ${UNFOLD} }`);
        const scenes = (await open.evaluate(
          `[...document.querySelectorAll('.scene')].map((scene) => {
          return { ticks: [...scene.querySelectorAll('.at tspan')].map(({ textContent }) => textContent),
            torn: scene.querySelector('.torn') !== null, says: scene.textContent.includes('not linear') }; })`,
        )) as { ticks: string[]; torn: boolean; says: boolean }[];
        expect(scenes.some(({ torn }) => torn)).toBe(true);
        for (const { ticks, torn, says } of scenes) {
          expect(ticks[0]).toBe('0');
          expect(ticks.length).toBeGreaterThan(1);
          expect(says).toBe(torn);
        }
        expect(await smallestText(open, '.scene')).toBeGreaterThanOrEqual(10);
        await open.close();
      }
    },
  );

  describe('of a report', () => {
    const LEVELS =
      "[...document.querySelectorAll('.row')].filter((row) => row.offsetParent).map((row) => Number(row.dataset.v))";

    it.each([true, false])('show the worst workloads first (scripts run: %s)', async (scripting) => {
      const open = await openPage(browser, report, { ...WIDE, scripting });
      const levels = (await open.evaluate(LEVELS)) as number[];
      expect(levels).toHaveLength(13);
      expect(levels).toEqual([...levels].sort((a, b) => a - b));
      expect(await open.evaluate("document.querySelector('.in').offsetHeight > 0")).toBe(true);
      await open.close();
    });

    it('group by namespace by the keyboard alone, and a link keeps the choice', async () => {
      const open = await openPage(browser, report);
      const groups =
        "[...document.querySelectorAll('.namespace > h3')].filter((h3) => h3.offsetParent).map(({ textContent }) => textContent)";
      expect(await open.evaluate(groups)).toEqual([]);
      await open.page.focus('#order');
      await open.page.keyboard.press('ArrowDown');
      await open.page.keyboard.press('Enter');
      const grouped = await open.evaluate(groups);
      expect(grouped).toEqual(['payments 4 workloads', 'platform 4 workloads', 'shop 5 workloads']);
      expect(await open.evaluate('location.hash')).toBe('#order=namespace');
      await open.page.reload();
      expect(await open.evaluate(groups)).toEqual(grouped);
      // A link of an earlier page names the order that is the default now.
      await open.evaluate("location.hash = 'order=worst'; undefined");
      await open.page.waitForFunction("document.querySelector('.namespace') === null");
      expect(await open.evaluate("document.querySelector('#order').value")).toBe('');
      expect(open.complaints).toEqual([]);
      await open.close();
    });
  });
});
