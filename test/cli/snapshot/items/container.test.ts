import { describe, expect, it } from 'vitest';
import { containerPart } from '../../../../src/cli/snapshot/items/container.ts';
import { POD_KIND } from '../../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../../src/engine/workload/read-pod.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

interface Around {
  readonly list?: string;
  /** Words of commands that policies give. */
  readonly commands?: readonly string[];
  readonly peer?: string;
}

function partOf(fields: JsonObject, { list = 'containers', commands = [], peer }: Around = {}): JsonObject {
  const written = { name: 'app', image: 'x', ...fields };
  const [container] = readPod({ metadata: {}, spec: { [list]: [written] } }, POD_KIND).containers;
  if (container === undefined) throw new Error('there is no container');
  return containerPart(written, container, commands, () => peer);
}

const get = (more: JsonObject = {}): JsonObject => ({ httpGet: { path: '/', port: 80, ...more } });

describe('a container in a snapshot', () => {
  it('has what verdicts depend on, and nothing else of the application', () => {
    const fields = {
      ...{ image: 'r/x:1@sha256:abc', restartPolicy: 'Always', workingDir: '/w' },
      ports: [{ containerPort: 80, name: 'http' }],
      env: [{ name: 'SECRET', value: 's' }],
      ...{ resources: { limits: { cpu: '1' } }, volumeMounts: [{ name: 'v', mountPath: '/v' }] },
    };
    expect(partOf(fields)).toEqual({
      ...{ name: 'app', image: 'r/x:1', restartPolicy: 'Always', workingDir: '' },
      ports: [{ name: 'http', containerPort: 80 }],
    });
    expect(partOf({ image: 1 })).toEqual({ name: 'app', image: 1 });
  });

  it('has hooks with their ports, and only whether there is a path or a host', () => {
    const lifecycle = {
      stopSignal: 'SIGTERM',
      preStop: { exec: { command: ['rm', 'x'] } },
      postStart: { httpGet: { path: '/secret', host: '', port: 80, httpHeaders: [{ name: 'A', value: 'b' }] } },
    };
    expect(partOf({ lifecycle })['lifecycle']).toEqual({
      stopSignal: 'SIGTERM',
      preStop: { exec: { command: ['', ''] } },
      postStart: { httpGet: { path: 'x', host: '', port: 80, httpHeaders: [{ name: 'A', value: '' }] } },
    });
  });

  it('has fields that an ephemeral container may not have, of such a container alone', () => {
    const fields = { resizePolicy: [{}], resources: { limits: { cpu: 1 }, other: 1 }, targetContainerName: 'b' };
    const ephemeral = partOf(fields, { list: 'ephemeralContainers' });
    expect(ephemeral).toMatchObject({ resizePolicy: [], resources: { limits: {} }, targetContainerName: 'b' });
    expect(ephemeral['resources']).not.toHaveProperty('other');
    expect(partOf(fields)).toEqual({ name: 'app', image: 'x' });
    expect(partOf({ targetContainerName: 5, resources: 7 }, { list: 'ephemeralContainers' })).toEqual({
      ...{ name: 'app', image: 'x' },
    });
  });
});

describe('the headers of probes in a snapshot', () => {
  it('have no credentials: equal values stay equal, others different, and lengths stay', () => {
    const header = (name: string, value: string): JsonObject => get({ httpHeaders: [{ name, value }] });
    const part = partOf({
      livenessProbe: header('Authorization', 'Basic abc'),
      readinessProbe: header('cookie', 'Basic abc'),
      startupProbe: header('X-Api-Key', 'Basic abd'),
    });
    const valueOf = (kind: string) =>
      (part[kind] as { httpGet: { httpHeaders: { value: string }[] } }).httpGet.httpHeaders[0]?.value;
    expect(['livenessProbe', 'readinessProbe', 'startupProbe'].map(valueOf)).toEqual([
      ...['xxxxxxxxx', 'xxxxxxxxx', 'yyyyyyyyy'],
    ]);
  });

  it('keep other values, control characters and what is no header', () => {
    const httpHeaders = [{ name: 'X-Other', value: 'plain' }, { name: 'Token', value: 'a\nb' }, { name: 'token' }];
    expect(partOf({ livenessProbe: get({ httpHeaders }) })['livenessProbe']).toEqual(
      get({ httpHeaders: [{ name: 'X-Other', value: 'plain' }, { name: 'Token', value: 'x\nx' }, { name: 'token' }] }),
    );
    expect(partOf({ livenessProbe: get({ httpHeaders: 'none' }) })['livenessProbe']).toEqual(
      expect.objectContaining({ httpGet: expect.objectContaining({ path: '/', port: 80 }) as unknown }),
    );
  });
});

describe('the variables of a container in a snapshot', () => {
  const env = [
    { name: 'PASS', value: 'a$b' },
    { name: 'PLAIN', value: 'ab' },
    { name: 'OTHER', value: 'c' },
    { name: 'REF', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    { name: 'OPT', valueFrom: { configMapKeyRef: { name: 's', key: 'k', optional: true } } },
  ];

  it('are those that a command refers to, and whether their value is literal and has a dollar sign', () => {
    const livenessProbe = { exec: { command: ['sh', '-c', 'redis-cli -a $PASS $PLAIN $REF ${OPT} ping'] } };
    expect(partOf({ env, livenessProbe })['env']).toEqual([
      { name: 'PASS', value: '$' },
      { name: 'PLAIN', value: '' },
      { name: 'REF', valueFrom: {} },
      { name: 'OPT', valueFrom: { configMapKeyRef: { optional: true } } },
    ]);
    expect(partOf({ env, livenessProbe: { exec: { command: ['redis-cli', 'OTHER'] } } })).not.toHaveProperty('env');
  });

  it('are also those that the command of a policy refers to', () => {
    expect(partOf({ env }, { commands: ['redis-cli -a $PLAIN'] })['env']).toEqual([{ name: 'PLAIN', value: '' }]);
  });

  it('have the address of the headless Service that the container names', () => {
    expect(partOf({}, { peer: 'web.shop' })['env']).toEqual([{ name: 'PEER', value: 'web.shop' }]);
  });

  it('have the switch that turns TLS on, or only that TLS is named where a probe asks HTTPS', () => {
    const ports = [{ name: 'http', containerPort: 8443 }];
    const on = { name: 'SERVER_SSL_ENABLED', value: 'true' };
    expect(partOf({ ports, env: [on], livenessProbe: get({ port: 8443 }) })['env']).toEqual([on]);
    const named = [{ name: 'TLS_CERT', value: '/x' }];
    const https = get({ port: 'http', scheme: 'HTTPS' });
    expect(partOf({ ports, env: named, livenessProbe: https })['env']).toEqual([{ name: 'TLS', value: 'named' }]);
    expect(partOf({ ports, env: named, livenessProbe: get({ port: 'http' }) })).not.toHaveProperty('env');
  });
});

describe('the flags of a container in a snapshot', () => {
  it('are those that name the TLS port of a probe', () => {
    const args = ['--tls-cert-file', '/secret', '--secure-port=8443'];
    const part = partOf({ args, ports: [{ containerPort: 8443 }], livenessProbe: get({ port: 8443 }) });
    expect(part['args']).toEqual(['--secure-port=8443', '', '']);
  });
});
