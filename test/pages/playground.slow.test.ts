import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundExamples } from '../../scripts/playground/examples.ts';
import { playgroundPage } from '../../scripts/playground/playground-page.ts';
import { linkFragment } from '../../src/package/playground/share-link.ts';
import { findYamlFiles } from '../../src/base/files/yaml-files.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { HOSTILE_NAMES, hostileFleet } from '../explain/fleet-page/hostile-names.ts';
import { accessibilityFindings } from './bed/accessibility.ts';
import { startBrowser, whyNoBrowser } from './bed/chromium.ts';
import { nameOfView, openPage, VIEWS, WIDE, type OpenPage, type View } from './bed/open-page.ts';
import { screenshotDifference } from './bed/screenshots.ts';
import type { Browser } from 'puppeteer-core';
import type { PlaygroundTexts } from '../../src/package/playground/judged-texts.ts';

/** What the command prints about two texts, by the names that the page gives to the texts. */
async function printedByCheck({ manifests, policies }: PlaygroundTexts): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'probewright-playground-'));
  const [file, policyFile] = [join(directory, 'manifests.yaml'), join(directory, 'policies.yaml')];
  await writeFile(file, manifests);
  await writeFile(policyFile, policies);
  const now = new Date().toISOString();
  const args = ['check', file, '--policies', policyFile, '--output', 'json', '--allow-empty', '--now', now];
  const { stdout } = await runProbewright(args);
  await rm(directory, { recursive: true });
  return stdout.replaceAll(`${directory}/`, '');
}

const text = (selector: string): string => `document.querySelector('${selector}').textContent`;

/** Chooses an example as a person does. */
const choose = (title: string): string =>
  "{ const menu = document.querySelector('#example');" +
  `menu.value = [...menu.options].find(({ text }) => text === ${JSON.stringify(title)}).value;` +
  "menu.dispatchEvent(new Event('change')); }";

describe.skipIf(whyNoBrowser() !== undefined)('the playground in a browser', () => {
  let browser: Browser;
  let html: string;
  beforeAll(async () => {
    [browser, html] = await Promise.all([startBrowser(), playgroundPage()]);
  });
  afterAll(async () => {
    await browser.close();
  });

  const openTexts = async (texts: PlaygroundTexts, view: View = WIDE): Promise<OpenPage> => {
    const open = await openPage(browser, html, view);
    await follow(open, texts);
    return open;
  };

  /** Follows a link into a page that is open. */
  const follow = async ({ page }: OpenPage, texts: PlaygroundTexts): Promise<void> => {
    await page.evaluate(
      `new Promise((done) => { addEventListener('hashchange', () => done(), { once: true }); location.hash = ${JSON.stringify(linkFragment(texts))}; })`,
    );
  };

  it('is one file under 1.5 MB with the licences of all packages in it', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(1_500_000);
    for (const name of ['@codemirror/view', 'fflate', 'yaml']) expect(html).toContain(`\n${name} `);
  });

  it.each(VIEWS.map((view) => [nameOfView(view), view] as const))(
    'is as it was at %s, asks for nothing, and is readable for all',
    async (name, view) => {
      const open = await openPage(browser, html, view);
      await open.evaluate(choose('A policy adds missing probes'));
      expect(await screenshotDifference(open, `playground-${name}`, 2400)).toBeUndefined();
      expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
      // axe cannot see what is behind the text of a drawing.
      expect(await accessibilityFindings(open, ['color-contrast'])).toEqual([]);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    },
  );

  it('shows what check --output json prints, for every fixture', async () => {
    const policies = readFileSync('examples/quick-start/policy.yaml', 'utf8');
    const files = (
      await Promise.all(['test/fixtures/checks', 'test/fixtures/policies'].map((path) => findYamlFiles(path)))
    ).flat();
    const fixtures = files.map(({ path }) => ({ manifests: readFileSync(path, 'utf8'), policies }));
    expect(fixtures.length).toBeGreaterThan(50);
    const open = await openPage(browser, html);
    for (const texts of [...playgroundExamples(), ...fixtures]) {
      await follow(open, texts);
      const json = String(await open.evaluate(text('#json pre')));
      expect(json).toBe(await printedByCheck(texts));
      const { violations } = JSON.parse(json) as {
        violations: readonly { check: string; line: number; file: string }[];
      };
      const shown = await open.evaluate(
        "[...document.querySelectorAll('#findings li')].flatMap((item) => item.querySelector('a') === null ? [] : [item.querySelector('a').textContent + ' ' + item.querySelector('button').textContent])",
      );
      expect(shown).toEqual(violations.map(({ check, file, line }) => `${check} ${file}, line ${line}`));
    }
    expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
    await open.close();
  });

  it('judges while a person types, and keeps the texts in the address', async () => {
    const open = await openTexts({ manifests: '', policies: '' });
    expect(await open.evaluate(text('#status'))).toBe('There is no workload in the manifests.');
    await open.page.click('#manifests');
    await open.page.keyboard.type(
      '{kind: Pod, apiVersion: v1, metadata: {name: a}, spec: {containers: [{name: a, image: a, livenessProbe: {}}]}}',
    );
    await open.page.waitForFunction(`${text('#status')}.includes('1 denied')`);
    const fragment = String(await open.evaluate('location.hash'));
    const shown = await open.evaluate(text('#findings'));
    await open.page.reload();
    expect(await open.evaluate('location.hash')).toBe(fragment);
    expect(await open.evaluate(text('#findings'))).toBe(shown);
    await open.close();
  });

  it('says in an empty editor what to paste', async () => {
    for (const view of VIEWS) {
      const open = await openTexts({ manifests: '', policies: '' }, view);
      expect(
        await open.evaluate(
          "document.querySelector('#manifests').shadowRoot.querySelector('.cm-placeholder').textContent",
        ),
      ).toBe('Paste YAML here, or choose an example.');
      expect(await accessibilityFindings(open)).toEqual([]);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    }
  });

  it('moves the cursor of the right editor to the line of a finding', async () => {
    const open = await openTexts({
      manifests: readFileSync('examples/quick-start/web.yaml', 'utf8'),
      policies:
        '\n\napiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: a, namespace: a }\nspec: { prots: 1 }\n',
    });
    expect(await open.evaluate(text('#findings button'))).toBe('policies.yaml, line 6');
    await open.page.click('#findings button');
    expect(
      await open.evaluate("document.querySelector('#policies').shadowRoot.querySelector('.cm-activeLine').textContent"),
    ).toBe('spec: { prots: 1 }');
    expect(await open.evaluate('document.activeElement.id')).toBe('policies');
    await open.close();
  });

  it('shows a finding that an exception allows as a note, with the owner and the end of the exception', async () => {
    const exception = `apiVersion: probewright.dev/v1alpha1
kind: ProbeException
metadata: { name: typo, namespace: shop }
spec:
  checks: [named-port]
  workloads: [{ kind: Deployment, name: orders }]
  owner: team-shop
  reason: The port is renamed next week.
  expires: "2999-01-01T00:00:00Z"
`;
    const texts = { manifests: readFileSync('pages/playground/examples/port-typo.yaml', 'utf8'), policies: exception };
    const open = await openTexts(texts);
    expect(await open.evaluate(text('#status'))).toBe('1 workload: nothing to report.');
    const notes = "[...document.querySelectorAll('#notes li')].map(({ textContent }) => textContent).join()";
    expect(await open.evaluate(notes)).toContain('ProbeException typo (owner team-shop) until 2999-01-01T00:00:00Z');
    expect(await open.evaluate(text('#json pre'))).toBe(await printedByCheck(texts));
    await open.close();
  });

  it('applies the patch to the manifests, and then has no patch', async () => {
    const open = await openPage(browser, html);
    await open.evaluate(choose('A policy adds missing probes'));
    expect(await open.evaluate(text('#patch-status'))).toBe('Policies add 3 probes.');
    expect(await open.evaluate("document.querySelectorAll('#diff .added').length")).toBeGreaterThan(3);
    await open.page.click('#apply');
    await open.page.waitForFunction(`${text('#patch-status')} === 'Policies add no probe.'`);
    expect(await open.evaluate("document.querySelector('#apply').disabled")).toBe(true);
    await open.close();
  });

  it('can be used with the keyboard alone: tabs by arrows, and Tab leaves an editor', async () => {
    const open = await openPage(browser, html);
    await open.page.focus('#tab-manifests');
    await open.page.keyboard.press('ArrowRight');
    expect(await open.evaluate('document.activeElement.id')).toBe('tab-policies');
    expect(await open.evaluate("document.querySelector('#policies').hidden")).toBe(false);
    await open.page.keyboard.press('Tab');
    expect(await open.evaluate('document.activeElement.id')).toBe('policies');
    await open.page.keyboard.press('Tab');
    expect(await open.evaluate("document.activeElement.closest('.write')")).toBeNull();
    await open.close();
  });

  it('has editors that a keyboard can scroll', async () => {
    const policies = readFileSync('examples/policies/cluster-defaults.yaml', 'utf8');
    const open = await openTexts({ manifests: '# a line\n'.repeat(500), policies }, { ...WIDE, width: 360 });
    expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await accessibilityFindings(open, ['color-contrast'])).toEqual([]);
    await open.close();
  });

  it('keeps the texts when a link is damaged, and says so', async () => {
    const open = await openPage(browser, html);
    await open.evaluate("location.hash = 'v2:AAAA'; undefined");
    await open.page.waitForFunction(`${text('#message')} === 'The link is damaged, so the texts stay unchanged.'`);
    expect(open.complaints).toEqual([]);
    await open.close();
  });

  it.each(HOSTILE_NAMES.map((name) => [JSON.stringify(name).slice(0, 40), name] as const))(
    'is harmless with the name %s',
    async (_, name) => {
      const open = await openTexts({ manifests: hostileFleet(name), policies: '' }, { ...WIDE, width: 390 });
      const attributes = await open.evaluate(
        "[...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames()).filter((name) => name.startsWith('on'))",
      );
      expect(attributes).toEqual([]);
      expect(await open.evaluate("document.querySelectorAll('script, img, iframe, object').length")).toBe(2);
      expect(await open.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
      await open.close();
    },
  );
});
