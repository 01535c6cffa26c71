import { describe, expect, it } from 'vitest';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { muteProbes } from '../../../src/explain/timeline/container-timings.ts';
import { pod } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ports = [
  { name: 'dns', containerPort: 53, protocol: 'UDP' },
  { name: 'http', containerPort: 8080 },
];

function nameIn(livenessProbe: JsonObject): string | undefined {
  const [container] = readPod(pod([{ name: 'app', ports, livenessProbe }]), POD_KIND).containers;
  return container && muteProbes(container).get('livenessProbe');
}

describe('the name of a port that no container declares', () =>
  it.each([
    [{ httpGet: { port: 'htpp' } }, 'htpp'],
    [{ tcpSocket: { port: 'htpp' } }, 'htpp'],
    [{ httpGet: { port: 'http' } }, undefined],
    [{ httpGet: { port: 'dns' } }, undefined],
    [{ httpGet: { port: 81 } }, undefined],
    [{ grpc: { port: 'x' } }, undefined],
    [{}, undefined],
  ])('in %j is %s', (probe, name) => expect(nameIn(probe)).toBe(name)));
