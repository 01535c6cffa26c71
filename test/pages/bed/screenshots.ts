import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import type { OpenPage } from './open-page.ts';

const STORED = 'test/pages/screenshots';
/** Where the pictures of failures are left, for a person. */
const FAILED = 'node_modules/.cache/screenshots';

/** `UPDATE_SCREENSHOTS=1 npm test -- test/pages` stores new pictures. */
const isUpdate = process.env['UPDATE_SCREENSHOTS'] === '1';

/**
 * Pixels that may differ. Binary, libraries and font come from npm packages, so pictures of two machines differ by the
 * arithmetic of their processors at most. Edges of letters are not counted at all (pixelmatch, includeAA).
 */
const MOST_DIFFERENT = 100;

/**
 * Compares what the window shows with a stored picture. The window is as high as the page, up to a limit.
 *
 * @returns a sentence for a person. Undefined when the pictures are equal
 */
export async function screenshotDifference(
  { page, evaluate }: OpenPage,
  name: string,
  mostHeight = 1600,
): Promise<string | undefined> {
  const width = page.viewport()?.width ?? 1280;
  const height = Math.min(mostHeight, Number(await evaluate('document.documentElement.scrollHeight')));
  await page.setViewport({ width, height });
  const shown = Buffer.from(await page.screenshot({ type: 'png' }));
  return differenceOf(shown, join(STORED, `${name}.png`), name);
}

/** Compares a picture with a stored file. */
export function differenceOf(shown: Buffer, file: string, name: string, stores = isUpdate): string | undefined {
  if (stores) return store(file, shown);
  const how = 'UPDATE_SCREENSHOTS=1 npm test -- test/pages stores it; look at it before you commit it';
  if (!existsSync(file)) return `there is no ${file}: ${how}`;
  const [before, after] = [PNG.sync.read(readFileSync(file)), PNG.sync.read(shown)];
  const { width, height } = before;
  const failed = join(FAILED, `${name}.png`);
  if (width !== after.width || height !== after.height) {
    store(failed, shown);
    return `${name} is ${after.width}x${after.height}, and was ${width}x${height}. See ${failed}: ${how}`;
  }
  const diff = new PNG({ width, height });
  const different = pixelmatch(before.data, after.data, diff.data, width, height, { threshold: 0.1 });
  if (different <= MOST_DIFFERENT) return undefined;
  store(failed, shown);
  store(join(FAILED, `${name}.diff.png`), PNG.sync.write(diff));
  return `${name} differs by ${different} pixels. See ${failed} and ${name}.diff.png: ${how}`;
}

function store(file: string, png: Buffer): undefined {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, png);
}
