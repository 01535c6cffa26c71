import { templatePolicy } from '../../engine/defaulting/default-probes.ts';
import { learnedBudget, type StartFigures } from '../../engine/probe/startup-budget.ts';
import { asCreated } from '../../engine/workload/read-pod.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { policyOfPod, workloadIn } from '../input/manifest.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Inputs } from '../input/inputs.ts';

/**
 * The seconds to start that a container gets, as the webhook computes them: of its injected startup probe, else what
 * its starts ask for by the settings of the policy in force. Undefined while too few starts are known.
 *
 * @param object the workload or Pod with the container; undefined = the default settings count
 */
export function budgetOf(
  known: StartFigures,
  container: string,
  object: JsonObject | undefined,
  inputs: Inputs,
): number | undefined {
  const workload = object && workloadIn(object, inputs);
  const [pod] = workload?.pods ?? [];
  if (workload === undefined || pod === undefined) return learnedBudget(known);
  const policy = policyOfPod(workload, pod, inputs.policies);
  const isOfContainer = ({ name }: { readonly name: string }): boolean => name === container;
  const { injections } = permittedDefaulting(pod, policy);
  const injected = injections.find(({ kind, container: of }) => kind === 'startupProbe' && isOfContainer(of));
  if (injected?.budget !== undefined) return injected.budget.seconds;
  const { containers, policyFor } = templatePolicy(asCreated(pod), policy);
  const named = containers.find(isOfContainer);
  const { learned, probes } = (named && policyFor(named)) ?? {};
  return learnedBudget(known, learned?.value, probes?.startupProbe.integers.periodSeconds);
}
