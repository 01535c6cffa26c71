import { runProbewright } from '../../test/cli/run-probewright.ts';

import { startBrowser } from '../../test/pages/bed/chromium.ts';
import { openPage, WIDE } from '../../test/pages/bed/open-page.ts';
import { playgroundPage } from '../playground/playground-page.ts';
import { PAGE_SIZES, type PageName } from './page-sizes.ts';
import type { Browser } from 'puppeteer-core';

/** The instant of the verdicts: the learned starts of the fleet are from the same day. */
const NOW = '2026-11-20T12:00:00Z';
/** The fleet of the report's picture. */
const FLEET = 'docs/images/fleet.yaml';

/** Goes to the rows of a report, and opens the row of a workload that has needed longer than its probes allow. */
const OPEN_A_ROW = `
  for (const row of document.querySelectorAll('.row')) row.open = row.querySelector('b').textContent === 'ledger';
  document.querySelector('#workloads').scrollIntoView();
`;

/** The pictures of pages by file name, as Chromium shows the pages today. */
export async function pagePictures(): Promise<ReadonlyMap<PageName, Buffer>> {
  const [report, playground] = await Promise.all([reportOfFleet(), playgroundPage()]);
  const browser = await startBrowser();
  try {
    return new Map([
      ['report.png', await pictureOf(browser, 'report.png', report, OPEN_A_ROW)],
      ['playground.png', await pictureOf(browser, 'playground.png', playground)],
    ]);
  } finally {
    await browser.close();
  }
}

async function reportOfFleet(): Promise<string> {
  const args = ['report', FLEET, '--policies', 'examples/policies', '--now', NOW];
  const { code, stdout, stderr } = await runProbewright(args);
  if (code !== 0) throw new Error(`report ends with ${code}: ${stderr}`);
  return stdout;
}

/** What a window shows of a page, after a step that a reader takes. */
async function pictureOf(browser: Browser, name: PageName, html: string, step = ''): Promise<Buffer> {
  const { width, height } = PAGE_SIZES[name];
  const open = await openPage(browser, html, { ...WIDE, width });
  await open.page.setViewport({ width, height });
  await open.evaluate(`{ ${step} }`);
  const picture = Buffer.from(await open.page.screenshot({ type: 'png' }));
  const { requests, complaints } = open;
  await open.close();
  if (requests.length + complaints.length > 0) throw new Error(`${name}: ${[...requests, ...complaints].join('; ')}`);
  return picture;
}
