import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { type ProductionBundle, productionBundle } from './production-bundle.ts';
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
  const bundle = await productionBundle();
  const directory = await temporaryDirectory('cluster');
  const releases: Release[] = [];
  let controlPlane: ControlPlane | undefined;
  const stop = async (): Promise<void> => {
    for (const release of releases) await release.stop();
    await controlPlane?.stop();
    await directory.remove();
    await bundle.remove();
  };
  try {
    controlPlane = await startControlPlane({
      controllers: true,
      users,
      auditedUsers: serviceAccounts(releaseNamespaces),
    });
    await applyCrds(controlPlane);
    return assemble(controlPlane, bundle, directory.path, releases, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

function assemble(
  controlPlane: ControlPlane,
  bundle: ProductionBundle,
  directory: string,
  releases: Release[],
  stop: () => Promise<void>,
): Cluster {
  const cluster: Cluster = {
    ...controlPlane,
    releases,
    stop,
    install: async (options) => {
      const release = await Release.install(cluster, bundle.program, directory, options);
      releases.push(release);
      return release;
    },
  };
  return cluster;
}
