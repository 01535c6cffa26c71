import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { OLDEST_NODE } from '../bundle.ts';
import { checkoutManifest } from '../package/package-manifest.ts';

/** The manifest with which Krew installs the plugin of kubectl, from the archive of a release. */
export function krewManifest(archive: string, file: string): string {
  const { version, homepage } = checkoutManifest();
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'probewright' },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: 'Check, explain and fix the probes of workloads',
      description:
        'Gives workloads of a cluster or of files the verdict that the Probewright admission webhook would give, explains when their probes restart containers, and shows what a change of policies does.\n',
      caveats: `The plugin needs Node.js ${OLDEST_NODE} or later on the PATH.\n`,
      platforms: [
        {
          selector: { matchExpressions: [{ key: 'os', operator: 'In', values: ['linux', 'darwin'] }] },
          uri: `${homepage}/releases/download/v${version}/${file}`,
          sha256: createHash('sha256').update(readFileSync(archive)).digest('hex'),
          files: [{ from: 'package/*', to: '.' }],
          bin: 'bin/probewright.js',
        },
      ],
    },
  });
}
