import { describe, expect, it } from 'vitest';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { mainContainerOf } from '../../../src/engine/workload/main-container.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { pod } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const web = { name: 'web', ports: [{ containerPort: 80 }] };
const api = { name: 'api', ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 81 }] };
const log = { name: 'log' };
const dns = { name: 'dns', ports: [{ containerPort: 53, protocol: 'UDP' }] };
const sidecar = { initContainers: [{ name: 'proxy', restartPolicy: 'Always', ports: [{ containerPort: 82 }] }] };

function mainOf(containers: readonly JsonObject[], named?: string): unknown {
  const annotations = named === undefined ? {} : { 'kubectl.kubernetes.io/default-container': named };
  const read = readPod(pod(containers, { metadata: { annotations }, spec: sidecar }), POD_KIND);
  const { kind, ...found } = mainContainerOf(read.containers, read.annotations);
  return 'container' in found ? found.container.name : { kind, ...found };
}

describe('the main container', () => {
  it('is the only application container with a TCP port', () => {
    expect(mainOf([log, web])).toBe('web');
    expect(mainOf([api, dns, log])).toBe('api');
  });

  it('is the one that the default-container annotation names, with or without a port', () => {
    expect(mainOf([web, api], 'api')).toBe('api');
    expect(mainOf([web, log], 'log')).toBe('log');
    expect(mainOf([web, log], '')).toBe('web');
  });

  it('is not known when the annotation names no application container', () => {
    expect(mainOf([web, log], 'x')).toEqual({
      ...{ kind: 'unknown-default-container', named: 'x' },
      candidates: ['web', 'log'],
    });
    expect(mainOf([web], 'proxy')).toMatchObject({ kind: 'unknown-default-container', candidates: ['web'] });
  });

  it('is not known when no container, or several, have a TCP port', () => {
    expect(mainOf([log, dns])).toEqual({ kind: 'no-tcp-port', candidates: ['log', 'dns'] });
    expect(mainOf([web, log, api])).toEqual({ kind: 'several-with-ports', candidates: ['web', 'api'] });
  });
});
