import { checkManifests } from '../../src/cli/check/check-manifests.ts';
import { worldOf } from '../../src/cli/input/world.ts';
import { KNOWN_KINDS, type WorkloadKind } from '../../src/engine/workload/kinds.ts';
import { NOW } from './now.ts';
import type { CheckReport } from '../../src/cli/check/report.ts';
import type { ManifestText } from '../../src/cli/input/manifest.ts';

/** What `probewright check` finds in these texts. */
export function checkTexts(
  manifests: ManifestText[],
  policies: ManifestText[],
  { namespace = 'default', kinds = KNOWN_KINDS }: { namespace?: string; kinds?: readonly WorkloadKind[] } = {},
): CheckReport {
  const texts = (list: ManifestText[]): { texts: ManifestText[]; problems: [] } => ({ texts: list, problems: [] });
  const { manifests: given, world } = worldOf(texts(manifests), texts(policies), { namespace, kinds, now: NOW });
  return checkManifests(given, world);
}
