import { NO_TEXTS } from '../../../src/cli/input/manifests.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import type { NamedInputs } from '../../../src/cli/input/live.ts';
import { plannedProbes, type ProbeToTry } from '../../../src/cli/try/planned-probes.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import { podOf } from './run-try.ts';

/** The inputs of a command line whose manifests and policies are these texts. */
export function inputsFrom(manifests: string, policies = ''): NamedInputs {
  return worldOf(
    { ...NO_TEXTS, texts: [{ file: 'web.yaml', text: manifests }] },
    { ...NO_TEXTS, texts: [{ file: 'policies.yaml', text: policies }] },
    { kinds: KNOWN_KINDS, namespace: 'shop', now: NOW },
  );
}

/** The probes of a Pod with this container. */
export function planned(container: object): ProbeToTry[] {
  return plannedProbes(inputsFrom(podOf(container)), [], []);
}

/** The one probe of a Pod with this container. */
export function plannedOne(container: object): ProbeToTry {
  const [only, ...others] = planned(container);
  if (only === undefined || others.length > 0) throw new Error('the container has not one probe');
  return only;
}
