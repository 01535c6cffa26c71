import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, pod } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Container } from '../../../src/engine/workload/pod.ts';

/** The container `app` of a Pod, with these members. */
export function containerWith(members: JsonObject, spec: JsonObject = {}): Container {
  const [container] = readPod(pod([appContainer(members)], { spec }), POD_KIND).containers;
  if (container === undefined) throw new Error('no container');
  return container;
}
