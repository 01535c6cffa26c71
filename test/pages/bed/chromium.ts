import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';
import type { Browser } from 'puppeteer-core';

const PACKAGE = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')));
const CACHE = resolve('node_modules/.cache');

/** The package has one binary, for Linux on x64. */
const CANNOT_RUN =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : `@sparticuz/chromium has no binary for ${process.platform} on ${process.arch}`;

/**
 * Why tests of pages cannot run on this machine. Undefined when they can run. The reason is printed, because a skipped
 * test should be noticed. A test that can run never skips: a browser that does not start fails the test.
 */
export function whyNoBrowser(): string | undefined {
  if (CANNOT_RUN !== undefined) console.warn(`Tests of pages are skipped: ${CANNOT_RUN}.`);
  return CANNOT_RUN;
}

/**
 * Starts Chromium. Everything that decides on a pixel comes from npm packages: the binary, its libraries, the font. So
 * a picture from one machine equals a picture from another machine.
 */
export async function startBrowser(): Promise<Browser> {
  const directory = await unpacked();
  return await puppeteer.launch({
    executablePath: join(directory, 'chromium'),
    args: [...SAFE_FOR_CONTAINERS, ...SAME_PIXELS, ...NO_NETWORK],
    headless: 'shell',
    env: {
      HOME: directory,
      LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(directory, 'only-this-font.conf'),
      TZ: 'UTC',
      LANG: 'C.UTF-8',
    },
    defaultViewport: null,
  });
}

/** Tests run as root in containers, where Chromium's own sandbox cannot work. The pages are ours. */
const SAFE_FOR_CONTAINERS = ['--no-sandbox', '--no-zygote', '--disable-dev-shm-usage', '--disable-gpu'];

/** Glyphs without hinting and without colours of subpixels, colours without a profile of the screen. */
const SAME_PIXELS = [
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--disable-font-subpixel-positioning',
  '--force-color-profile=srgb',
  '--force-device-scale-factor=1',
  '--hide-scrollbars',
];

/** No name has an address, so nothing of the browser itself reaches a network either. */
const NO_NETWORK = ['--host-resolver-rules=MAP * ~NOTFOUND', '--disable-background-networking', '--no-first-run'];

/** The directory with the unpacked binary. It appears as a whole, because several test files may unpack it at once. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const directory = join(CACHE, `chromium-${version}`);
  if (existsSync(directory)) return directory;
  const draft = join(CACHE, `chromium-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  const { TMPDIR } = process.env;
  try {
    // The package unpacks into the directory for temporary files.
    process.env['TMPDIR'] = draft;
    const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'];
    await Promise.all(archives.map((name) => inflate(join(PACKAGE, 'bin', name))));
    await writeFile(join(draft, 'only-this-font.conf'), fontConfiguration(directory));
    await rename(draft, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    await rm(draft, { recursive: true, force: true });
  }
  return directory;
}

/** Every family of fonts is the one font of the package: fonts of the machine are not seen. */
function fontConfiguration(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}/fonts</dir>
  <cachedir>${directory}/font-cache</cachedir>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>Open Sans</string></edit>
  </match>
</fontconfig>
`;
}
