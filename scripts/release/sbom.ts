import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { productionPackages } from '../dependencies/production-packages.ts';
import { checkoutManifest } from '../package/package-manifest.ts';

/** The two formats that scanners read. */
export const SBOM_FORMATS = ['cyclonedx', 'spdx'] as const;
export type SbomFormat = (typeof SBOM_FORMATS)[number];

/**
 * The production packages of package-lock.json, as a software bill of materials. npm puts random numbers, the time, its
 * own version and the name of the folder into the list. Here these follow from the lock file and the commit, so that
 * the same commit gives the same bytes on every machine.
 *
 * @param epoch the time of the commit, in seconds
 */
export function sbom(format: SbomFormat, epoch: number): string {
  const args = ['sbom', '--package-lock-only', '--sbom-type=application', `--sbom-format=${format}`];
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  const text = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio });
  const list = format === 'cyclonedx' ? cyclonedx(text, epoch) : spdx(text, epoch);
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

/** `npm sbom --omit=dev` also omits packages that both production and development need, such as yaml. */
function shipped(): ReadonlySet<string> {
  const { name, version } = checkoutManifest();
  return new Set([`${name}@${version}`, ...productionPackages().map((each) => `${each.name}@${each.version}`)]);
}

interface CycloneDx {
  readonly metadata: { readonly component: object };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

function cyclonedx(text: string, epoch: number): unknown {
  const bom = JSON.parse(text) as CycloneDx;
  const kept = shipped();
  return {
    ...bom,
    serialNumber: `urn:uuid:${uuidOfLock()}`,
    metadata: {
      ...bom.metadata,
      timestamp: instant(epoch),
      tools: [{ vendor: 'npm', name: 'cli' }],
      component: { ...bom.metadata.component, name: checkoutManifest().name },
    },
    components: bom.components.filter((component) => kept.has(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) })),
  };
}

interface Spdx {
  readonly packages: readonly { readonly SPDXID: string; readonly name: string; readonly versionInfo: string }[];
  readonly relationships: readonly { readonly spdxElementId: string; readonly relatedSpdxElement: string }[];
}

function spdx(text: string, epoch: number): unknown {
  const list = JSON.parse(text) as Spdx;
  const kept = shipped();
  const packages = list.packages.filter((each) => kept.has(`${each.name}@${each.versionInfo}`));
  const ids = new Set(['SPDXRef-DOCUMENT', ...packages.map(({ SPDXID }) => SPDXID)]);
  const { name, version } = checkoutManifest();
  return {
    ...list,
    documentNamespace: `http://spdx.org/spdxdocs/${name}-${version}-${uuidOfLock()}`,
    creationInfo: { created: instant(epoch), creators: ['Tool: npm/cli'] },
    packages,
    relationships: list.relationships.filter(
      ({ spdxElementId, relatedSpdxElement }) => ids.has(spdxElementId) && ids.has(relatedSpdxElement),
    ),
  };
}

function instant(epoch: number): string {
  return new Date(epoch * 1000).toISOString().replace('.000Z', 'Z');
}

/** A UUID (version 8, free content) that changes with the lock file. */
function uuidOfLock(): string {
  const hash = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
