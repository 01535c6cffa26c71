import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The texts under which a package may be passed on, by their usual names. */
const LICENCE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

/** The packages of which the bundle has code, as paths below the checkout. */
function bundledPackages({ inputs, outputs }: Metafile): string[] {
  const used = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const packages = used
    .filter((path) => Object.hasOwn(inputs, path))
    .map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
    .filter((path) => path !== undefined);
  return [...new Set(packages)].sort();
}

/**
 * The licences of all packages of which the bundle has code, in one text.
 *
 * @throws Error when a package has neither a text nor the name of a licence
 */
export function thirdPartyLicences(metafile: Metafile): string {
  const sections = bundledPackages(metafile).map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const texts = readdirSync(path)
      .filter((file) => LICENCE.test(file) && existsSync(join(path, file)))
      .sort()
      .map((file) => readFileSync(join(path, file), 'utf8').trim());
    if (texts.length === 0 && license === undefined) throw new Error(`${path} has no licence`);
    const body = texts.length > 0 ? texts.join('\n\n') : `Licence: ${license ?? ''}. The package has no text of it.`;
    return `${name} ${version} (${license ?? 'see the text'})\n\n${body}`;
  });
  return `${['The bundle has code of these packages.', ...sections].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
