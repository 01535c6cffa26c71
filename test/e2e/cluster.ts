import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { productionBundle } from './production-bundle.ts';
import { type ReleaseOptions, serviceAccountName } from './release-objects.ts';
import { Release } from './release.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A control plane with the custom resources, and the releases of Probewright that were put into it. */
export interface Cluster extends ControlPlane {
  readonly releases: readonly Release[];
  /** Everything that a release needs before its replicas; whoever stops the cluster stops them too. */
  install(options: ReleaseOptions): Promise<Release>;
}

/** The users that a release in one of these namespaces acts as. */
function serviceAccounts(namespaces: readonly string[]): string[] {
  return namespaces.map((namespace) => `system:serviceaccount:${namespace}:${serviceAccountName}`);
}

/**
 * Starts a control plane with controllers and the custom resources. Releases can go into these namespaces: who is audited
 * must be known before the API server starts.
 *
 * @param users beside the administrator, without rights
 */
export async function startCluster(
  releaseNamespaces: readonly string[],
  users: readonly string[] = [],
): Promise<Cluster> {
  const endings: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    const bundle = await productionBundle();
    endings.push(() => bundle.remove());
    const directory = await temporaryDirectory('cluster');
    endings.push(() => directory.remove());
    const auditedUsers = serviceAccounts(releaseNamespaces);
    const controlPlane = await startControlPlane({ controllers: true, users, auditedUsers });
    endings.push(() => controlPlane.stop());
    await applyCrds(controlPlane);
    const releases: Release[] = [];
    const install = async (options: ReleaseOptions): Promise<Release> => {
      const release = await Release.install(controlPlane, bundle.program, directory.path, options);
      endings.push(() => release.stop());
      releases.push(release);
      return release;
    };
    return { ...controlPlane, releases, install, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
