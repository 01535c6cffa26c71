import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { zipSync } from 'fflate';
import { bundle, PROGRAM } from '../bundle.ts';
import { thirdPartyLicences } from '../package/third-party-licences.ts';
import { escapeXml } from '../../src/base/text/visible.ts';

const SOURCES = 'integrations/vscode';

/** What the extension's package.json says, as far as a package of VS Code repeats it. */
export interface ExtensionManifest extends Readonly<
  Record<'name' | 'displayName' | 'description' | 'version' | 'publisher', string>
> {
  readonly engines: { readonly vscode: string };
}

/** The extension with the program, as a package that VS Code installs. The same sources give the same bytes. */
export async function vsix(): Promise<Uint8Array> {
  const text = readFileSync(`${SOURCES}/package.json`, 'utf8');
  const directory = mkdtempSync(join(tmpdir(), 'probewright-vsix-'));
  try {
    const server = await bundle(PROGRAM, join(directory, 'server'));
    const { metafile } = await build({
      entryPoints: [`${SOURCES}/extension.mts`],
      outfile: join(directory, 'extension.js'),
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'cjs',
      external: ['vscode'],
      metafile: true,
    });
    const licences = [thirdPartyLicences(server), thirdPartyLicences(metafile)].join('\n');
    const files = readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`extension/${path.slice(directory.length + 1)}`, readFileSync(path)] as const);
    const all = [
      ['[Content_Types].xml', Buffer.from(CONTENT_TYPES)] as const,
      ['extension.vsixmanifest', Buffer.from(vsixManifest(JSON.parse(text) as ExtensionManifest))] as const,
      ['extension/package.json', Buffer.from(text)] as const,
      ['extension/server/package.json', Buffer.from('{ "type": "module" }\n')] as const,
      ['extension/README.md', readFileSync(`${SOURCES}/README.md`)] as const,
      ['extension/LICENSE.txt', readFileSync('LICENSE')] as const,
      ['extension/THIRD-PARTY-LICENCES.txt', Buffer.from(licences)] as const,
      ...files,
    ];
    const sorted = all.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return zipSync(Object.fromEntries(sorted), { mtime: new Date(1980, 0, 1) });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const CONTENT_TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries({
  json: 'application/json',
  js: 'application/javascript',
  md: 'text/markdown',
  mjs: 'application/javascript',
  txt: 'text/plain',
  vsixmanifest: 'text/xml',
})
  .map(([extension, type]) => `<Default Extension=".${extension}" ContentType="${type}"/>`)
  .join('')}</Types>
`;

/** The manifest of the package: the schema is that of Visual Studio's extensions, of 2011. */
export function vsixManifest({
  name,
  displayName,
  description,
  version,
  publisher,
  engines,
}: ExtensionManifest): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="${escapeXml(name)}" Version="${escapeXml(version)}" Publisher="${escapeXml(publisher)}"/>
<DisplayName>${escapeXml(displayName)}</DisplayName>
<Description xml:space="preserve">${escapeXml(description)}</Description>
<Categories>Linters</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escapeXml(engines.vscode)}"/></Properties>
<License>extension/LICENSE.txt</License>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/></Assets>
</PackageManifest>
`;
}
