import { describe, expect, it } from 'vitest';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { validProbe } from '../../../src/engine/checks/valid-probe.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { pod } from '../../support/worlds.ts';

describe('valid-probe', () =>
  it('works the answer out once for a workload, however many containers it has', () => {
    const object = pod([{ name: 'web', livenessProbe: {} }, { name: 'log' }]);
    const workload = checkedWorkload(readPod(object, POD_KIND), { object });
    const [container] = workload.pod.containers;
    if (container === undefined) throw new Error('no container');
    const findings = validProbe.run(container, {}, workload);
    expect(findings).toHaveLength(1);
    expect(validProbe.run(container, {}, workload)).toBe(findings);
  }));
