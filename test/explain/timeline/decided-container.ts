import { templatePolicy } from '../../../src/engine/defaulting/default-probes.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { mayHaveProbes, writtenProbe } from '../../../src/engine/workload/pod.ts';
import { asCreated } from '../../../src/engine/workload/read-pod.ts';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { containerTimings } from '../../../src/explain/timeline/container-timings.ts';
import { explainedProbes } from '../../../src/explain/timeline/explained-probes.ts';
import { NO_PLACES, type Decided, type FieldPlaces } from '../../../src/explain/timeline/explained-fields.ts';
import { appContainer, deploymentOf, pod, policySet, subjectOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ProbeExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';
import type { ProbeObject } from '../../../src/engine/workload/pod.ts';

/** Places that tell which path was asked for. */
export const TOLD_PLACES: FieldPlaces = {
  ofManifest: (path) => `manifest:${formatPath(path)}`,
  ofPolicy: (source, path) => `${source}:${formatPath(path)}`,
};

/** The only container of a Deployment in namespace apps, with what policies decided on its probes. */
export function decidedContainer(
  container: JsonObject,
  {
    policies = policySet(),
    annotations = {},
    spec = {},
    places = NO_PLACES,
    injectedEarlier,
  }: {
    readonly policies?: ReturnType<typeof policySet>;
    readonly annotations?: JsonObject;
    readonly spec?: JsonObject;
    readonly places?: FieldPlaces;
    readonly injectedEarlier?: Readonly<Record<string, string>>;
  } = {},
): Decided {
  const subject = subjectOf(deploymentOf(pod([appContainer(container)], { metadata: { annotations }, spec })));
  const [template] = subject.pods;
  if (template === undefined) throw new Error('no template');
  const policy = policies.policyFor('apps', template.labels);
  const { injections, pod: effective } = permittedDefaulting(template, policy);
  const [found] = effective.containers.filter(mayHaveProbes);
  if (found === undefined) throw new Error('no container');
  return {
    container: found,
    templatePath: template.path,
    injections,
    injectedEarlier: injectedEarlier && new Map(Object.entries(injectedEarlier)),
    policy: templatePolicy(asCreated(template), policy).policyFor(found),
    places,
  };
}

/** The probes of a container, explained. */
export function explainedProbesOf(decided: Decided): ProbeExplanation[] {
  return explainedProbes(decided, containerTimings(decided.container));
}

/** A probe that the container has, with its injection. */
export function probeOf(decided: Decided, kind: ProbeKind): ProbeObject {
  const probe = writtenProbe(decided.container, kind);
  if (probe === undefined) throw new Error(`no ${kind}`);
  return probe;
}
