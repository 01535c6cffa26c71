import { describe, expect, it } from 'vitest';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { validProbe } from '../../../src/engine/checks/valid-probe.ts';
import { BUILT_IN_KINDS, podTemplatesOf } from '../../../src/engine/workload/kinds.ts';
import { pod } from '../../support/worlds.ts';

describe('valid-probe', () => {
  it('works the answer out once for a workload, however many containers it has', () => {
    const object = pod([{ name: 'web', livenessProbe: {} }, { name: 'log' }]);
    const [kind] = BUILT_IN_KINDS;
    const template = kind && podTemplatesOf(object, kind)[0];
    const workload = kind && template && checkedWorkload(object, kind, template);
    const [container] = workload?.containers ?? [];
    if (workload === undefined || container === undefined) throw new Error('not a workload');
    const findings = validProbe.run(container, {});
    expect(validProbe.run(container, {})).toBe(findings);
  });
});
