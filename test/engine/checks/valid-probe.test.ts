import { describe, expect, it } from 'vitest';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { validProbe } from '../../../src/engine/checks/valid-probe.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { pod } from '../../support/worlds.ts';
import { findings } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('valid-probe', () => {
  it('works the answer out once for a workload, however many containers it has', () => {
    const object = pod([{ name: 'web', livenessProbe: {} }, { name: 'log' }]);
    const workload = checkedWorkload(readPod(object, POD_KIND), { object });
    const [container] = workload.pod.containers;
    if (container === undefined) throw new Error('no container');
    const findings = validProbe.run(container, {}, workload);
    expect(findings).toHaveLength(1);
    expect(validProbe.run(container, {}, workload)).toBe(findings);
  });

  it.each<[string, JsonObject, readonly unknown[]]>([
    [
      'the kind of a probe',
      { livenessProbe: {} },
      ['livenessProbe', 'write httpGet, tcpSocket, grpc or exec', undefined],
    ],
    ['no kind for a container', { ports: [{ containerPort: 0 }] }, [undefined, undefined, undefined]],
    [
      'to keep one handler',
      { readinessProbe: { tcpSocket: { port: 80 }, exec: { command: ['true'] } } },
      ['readinessProbe', 'keep one handler (if a chart merged them: set the other to null in the values)', undefined],
    ],
    [
      'to remove a field',
      { livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } },
      ['livenessProbe', 'remove successThreshold', [null]],
    ],
    [
      'a port without quotes',
      { livenessProbe: { tcpSocket: { port: '80' } } },
      ['livenessProbe', 'write port: 80, without quotes', [80]],
    ],
    [
      'the only port that is declared',
      { ports: [{ containerPort: 80 }], livenessProbe: { tcpSocket: {} } },
      ['livenessProbe', 'write port: 80', [80]],
    ],
    [
      'no port that cannot be',
      { livenessProbe: { tcpSocket: { port: '65536' } } },
      ['livenessProbe', undefined, undefined],
    ],
    [
      'a scheme in capitals',
      { livenessProbe: { httpGet: { port: 80, scheme: 'https' } } },
      ['livenessProbe', 'write scheme: HTTPS', ['HTTPS']],
    ],
    [
      'no scheme that is none',
      { livenessProbe: { httpGet: { port: 80, scheme: 'ftp' } } },
      ['livenessProbe', undefined, undefined],
    ],
    [
      'a number without quotes',
      { livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: '5' } },
      ['livenessProbe', 'write periodSeconds: 5, without quotes', [5]],
    ],
    [
      'quotes for a boolean',
      { livenessProbe: { exec: { command: ['echo', true] } } },
      ['livenessProbe', 'quote it: y, yes, on and true are booleans in YAML 1.1', undefined],
    ],
    [
      'quotes for a number',
      { livenessProbe: { exec: { command: ['echo', 5] } } },
      ['livenessProbe', 'quote it: a word of digits without quotes is a number', undefined],
    ],
  ])('says %s', (_, members, advice) => {
    const [first] = findings('valid-probe', pod([{ name: 'web', image: 'i', ...members }]));
    const values = first?.edits?.map(({ value }) => value);
    expect([first?.probe, first?.remedy, values]).toEqual(advice);
  });
});
