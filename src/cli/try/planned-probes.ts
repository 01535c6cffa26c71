import { formatPath, type FieldPath } from '../../base/json/field-path.ts';
import { stringMember } from '../../base/json/json-value.ts';
import { injectionAt } from '../../engine/defaulting/injection.ts';
import { PROBE_KINDS, type ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming } from '../../engine/time/timing.ts';
import { policyOfPod } from '../../engine/verdict/judge.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { mayHaveProbes, writtenProbe, type Container, type Handler } from '../../engine/workload/pod.ts';
import { leavesProbesPlain } from '../../engine/workload/mesh.ts';
import { findPort } from '../../engine/workload/ports.ts';
import { wholeHandlerOf } from '../../engine/workload/read-probe.ts';
import { workloadIn, type Manifest, manifestsIn } from '../input/manifest.ts';
import type { WorkloadPolicy } from '../../engine/policy/policy-set.ts';
import type { ProbeWord } from './definition.ts';
import type { FilePlace } from '../output/json-outputs.ts';
import type { NamedInputs } from '../input/live.ts';
import type { World } from '../input/world.ts';

/** A probe that the kubelet would run, after the API server's and the policies' defaults. */
export interface ProbeToTry extends FilePlace {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly container: Container;
  readonly probe: ProbeKind;
  /** With all of its texts. */
  readonly handler: Handler;
  readonly timing: ProbeTiming;
  /** The paths that the policies in force name for HTTP probes. */
  readonly policyPaths: readonly string[];
  /** The Pod keeps the mesh from redirecting its probes. */
  readonly isLeftPlain: boolean;
  /** The policy that gives the probe. Absent for a probe of the manifest. */
  readonly injectedBy?: string;
}

const ORDER = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/**
 * The probes of the application and sidecar containers of the manifests, in the order of the files.
 *
 * @param containers the containers and probes that the command line selects; empty lists select all
 */
export function plannedProbes(
  { manifests, world }: NamedInputs,
  containers: readonly string[],
  probes: readonly ProbeWord[],
): ProbeToTry[] {
  const kinds = new Set<ProbeKind>(probes.map((word): ProbeKind => `${word}Probe`));
  return manifestsIn(manifests)
    .flatMap((manifest) => probesOfManifest(manifest, world))
    .filter(
      ({ container, probe }) =>
        (containers.length === 0 || containers.includes(container.name)) && (kinds.size === 0 || kinds.has(probe)),
    );
}

function probesOfManifest(manifest: Manifest, world: World): ProbeToTry[] {
  const workload = workloadIn(manifest.object, world);
  if (workload === undefined) return [];
  const { kind, namespace, name, pods } = workload;
  const { document, path: objectPath } = manifest;
  return pods.flatMap((pod) => {
    const policy = policyOfPod(workload, pod, world.snapshot);
    const { injections, pod: effective } = permittedDefaulting(pod, policy);
    const shared = {
      ...{ kind: kind.kind, namespace, name, policyPaths: pathsOf(policy) },
      isLeftPlain: leavesProbesPlain(pod),
    };
    const planned = (container: Container, probe: ProbeKind): readonly ProbeToTry[] => {
      const own = writtenProbe(container, probe);
      const handler = own && wholeHandlerOf(own);
      if (own === undefined || handler === undefined) return [];
      const containerPath = container.place.path();
      const injectedBy = injectionAt(injections, container, probe)?.source;
      // A probe that a policy gives has the place of its container.
      const field = injectedBy === undefined ? [...containerPath, probe] : containerPath;
      return [
        {
          ...document.placeOf([...objectPath, ...field], { key: true }),
          ...{ ...shared, container, probe, handler, timing: own.numbers },
          ...(injectedBy !== undefined && { injectedBy }),
        },
      ];
    };
    return effective.containers
      .filter(mayHaveProbes)
      .flatMap((container) => ORDER.flatMap((probe) => planned(container, probe)));
  });
}

function pathsOf({ layers }: WorkloadPolicy): string[] {
  const paths = layers.flatMap(({ probes }) =>
    PROBE_KINDS.map((kind) => stringMember(probes[kind]?.handler?.fields ?? {}, 'path')),
  );
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** The path of a field of the probe in the object: `spec.template.spec.containers[0].livenessProbe.httpGet.path`. */
export function probeField({ container, probe }: ProbeToTry, ...steps: FieldPath): string {
  return formatPath([...container.place.path(), probe, ...steps]);
}

/**
 * The number of the port that a probe asks; the event's text where there is none. A name that the container does not
 * declare is taken for a number (pkg/probe/util.go, ResolveContainerPort).
 */
export function portOf({ handler, container }: ProbeToTry): number | { readonly text: string } {
  const { port = '' } = handler.kind === 'exec' ? {} : handler;
  if (typeof port === 'number') return port;
  const declared = findPort(container.readablePorts, port);
  return declared?.number ?? { text: `strconv.Atoi: parsing "${port}": invalid syntax` };
}
