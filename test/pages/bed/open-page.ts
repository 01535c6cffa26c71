import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';

/** How a reader looks at a page. */
export interface View {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  /** False for a reader whose browser runs no scripts. */
  readonly scripting: boolean;
}

export const WIDE: View = { width: 1280, scheme: 'light', scripting: true };

/** The views of which screenshots are stored. 390 is the width of a phone. */
export const VIEWS: readonly View[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme, scripting: true })),
);

export function nameOfView({ width, scheme, scripting }: View): string {
  return [String(width), scheme, ...(scripting ? [] : ['no-scripts'])].join('-');
}

/** A page from disk, in a browser of its own storage. */
export interface OpenPage {
  readonly page: Page;
  /** Addresses that the page asked for, beside its own file. All of them were refused. */
  readonly requests: readonly string[];
  /** Errors of scripts, breaches of the Content-Security-Policy, and whatever the page wrote to the console. */
  readonly complaints: readonly string[];
  /** Evaluates an expression in the page, also when scripts of the page do not run. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Writes a page to disk and opens it, as a person would. */
export async function openPage(browser: Browser, html: string, view: View = WIDE): Promise<OpenPage> {
  const directory = await mkdtemp(join(tmpdir(), 'probewright-page-'));
  const file = join(directory, 'page.html');
  await writeFile(file, html);
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const [requests, complaints]: [string[], string[]] = [[], []];
  await page.setJavaScriptEnabled(view.scripting);
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: view.scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.setViewport({ width: view.width, height: 900 });
  await page.setRequestInterception(true);
  const own = pathToFileURL(file).href;
  page.on('request', (request) => {
    // A link to a place in the page asks for nothing.
    if (request.url().split('#')[0] === own) return void request.continue();
    requests.push(request.url());
    void request.abort('blockedbyclient');
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error instanceof Error ? error.message : String(error)));
  await page.goto(own, { waitUntil: 'load' });
  return {
    page,
    requests,
    complaints,
    evaluate: (expression) => page.evaluate(expression),
    close: async () => {
      await context.close();
      await rm(directory, { recursive: true });
    },
  };
}
