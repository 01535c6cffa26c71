import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings } from './bed/accessibility.ts';
import { startBrowser, whyNoBrowser } from './bed/chromium.ts';
import { openPage, WIDE } from './bed/open-page.ts';
import { differenceOf } from './bed/screenshots.ts';
import type { Browser } from 'puppeteer-core';

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">${head}<title>Page</title></head><body>${body}</body></html>`;

/** The bed finds what it is there to find; else clean pages would prove nothing. */
describe.skipIf(whyNoBrowser() !== undefined)('the test bed of pages', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it('records and refuses requests, from markup and from scripts', async () => {
    const script = '<script>fetch("http://192.0.2.1/data").catch(() => { document.title = "refused"; })</script>';
    const open = await openPage(browser, page(`<img src="http://192.0.2.1/a.png" alt="a">${script}`));
    await open.page.waitForFunction('document.title === "refused"');
    expect([...open.requests].sort()).toEqual(['http://192.0.2.1/a.png', 'http://192.0.2.1/data']);
    await open.close();
  });

  it('hears errors of scripts and breaches of the policy', async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'">`;
    const open = await openPage(browser, page('<p style="color: red">a</p><script>missing()</script>', policy));
    expect(open.complaints).toEqual([
      expect.stringContaining('Applying inline style violates'),
      expect.stringContaining('missing is not defined'),
    ]);
    await open.close();
  });

  it('finds what a screen reader cannot read, also where no script of the page runs', async () => {
    const body = '<main><h1>Page</h1><p>a</p><img src="data:," ></main>';
    const open = await openPage(browser, page(body, '<script>document.title = ""</script>'), {
      ...WIDE,
      scripting: false,
    });
    expect(await accessibilityFindings(open)).toEqual([expect.stringMatching(/^image-alt: /)]);
    await open.close();
  });

  it('sees the font of the package, whatever the machine has', async () => {
    const families = ['system-ui', 'DejaVu Sans', 'monospace', 'Open Sans'];
    const spans = families.map((family) => `<span style="font-family: '${family}', ${family}">Wide mill</span>`);
    const open = await openPage(browser, page(`<main><h1>Page</h1>${spans.join('<br>')}</main>`));
    const widths = await open.evaluate("[...document.querySelectorAll('span')].map((span) => span.offsetWidth)");
    expect(new Set(widths as number[]).size).toBe(1);
    await open.close();
  });

  it('tells pictures apart, and lets a few pixels differ', () => {
    const directory = mkdtempSync(join(tmpdir(), 'probewright-pictures-'));
    const stored = join(directory, 'stored.png');
    const picture = (dark: number): Buffer => {
      const png = new PNG({ width: 100, height: 100 });
      png.data.fill(255);
      for (let pixel = 0; pixel < dark; pixel++) png.data[pixel * 4] = 0;
      return PNG.sync.write(png);
    };
    writeFileSync(stored, picture(0));
    expect(differenceOf(picture(50), stored, 'bed', false)).toBeUndefined();
    expect(differenceOf(picture(1000), stored, 'bed', false)).toMatch(/^bed differs by \d+ pixels/);
    expect(differenceOf(picture(0), join(directory, 'missing.png'), 'bed', false)).toMatch(/^there is no /);
    rmSync(directory, { recursive: true });
  });
});
