import { describe, expect, it } from 'vitest';
import { containerPart } from '../../../../src/cli/snapshot/items/container.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

function partOf(fields: JsonObject, list = 'containers', volumes: readonly JsonObject[] = []): JsonObject {
  return containerPart({ name: 'app', image: 'x', ...fields }, { volumes }, list, []);
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
      env: [{ name: 'SECRET', value: 'x' }],
    });
    expect(partOf({ image: 1 })).toEqual({ name: 'app', image: 1 });
  });

  it("has the probes that Istio's proxy lists, and no other part of the list", () => {
    const list = (value: unknown): JsonObject => ({
      ...{ name: 'istio-proxy', image: 'x' },
      env: [{ name: 'ISTIO_KUBE_APP_PROBERS', value: JSON.stringify(value) }],
    });
    const listed = { '/app-health/web/readyz': { ...get({ port: 8080 }), note: 'secret' }, note: 'secret' };
    expect(partOf(list(listed))).toEqual(list({ '/app-health/web/readyz': get({ port: 8080 }) }));
    const other = partOf({ ...list(listed), name: 'web' });
    expect(JSON.stringify(other)).not.toContain('secret');
    expect(other).not.toEqual({ ...list(listed), name: 'web' });
  });

  it('has hooks with their ports and tools, and only whether there is a path or a host', () => {
    const lifecycle = {
      stopSignal: 'SIGTERM',
      preStop: { exec: { command: ['rm', '/'] } },
      postStart: { httpGet: { path: '/secret', host: '', port: 80, httpHeaders: [{ name: 'A', value: 'b' }] } },
    };
    expect(partOf({ lifecycle })['lifecycle']).toEqual({
      stopSignal: 'SIGTERM',
      preStop: { exec: { command: ['rm', '/'] } },
      postStart: { httpGet: { path: 'x', host: '', port: 80, httpHeaders: [{ name: 'A', value: '' }] } },
    });
  });

  it('has fields that an ephemeral container may not have, of such a container alone', () => {
    const fields = { resizePolicy: [{}], resources: { limits: { cpu: 1 }, other: 1 }, targetContainerName: 'b' };
    const ephemeral = partOf(fields, 'ephemeralContainers');
    expect(ephemeral).toMatchObject({ resizePolicy: [], resources: { limits: {} }, targetContainerName: 'b' });
    expect(ephemeral['resources']).not.toHaveProperty('other');
    expect(partOf(fields)).toEqual({ name: 'app', image: 'x' });
    expect(partOf({ targetContainerName: 5, resources: 7 }, 'ephemeralContainers')).toEqual({
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
  it('have their names, whether their value is literal, and whether it has a dollar sign', () => {
    const env = [
      { name: 'PASS', value: 'a$b' },
      { name: 'OTHER', value: 'a$b' },
      { name: 'PLAIN', value: 'ab' },
      { name: 'REF', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'OPT', valueFrom: { configMapKeyRef: { name: 's', key: 'k', optional: true } } },
      { name: 'ODD', value: 7 },
      'odd',
    ];
    expect(partOf({ env })['env']).toEqual([
      { name: 'PASS', value: 'x' },
      { name: 'OTHER', value: 'x$x' },
      { name: 'PLAIN', value: 'x' },
      { name: 'REF', valueFrom: {} },
      { name: 'OPT', valueFrom: { configMapKeyRef: { optional: true } } },
      { name: 'ODD', value: 0 },
      '',
    ]);
  });
});

describe('the volumes of a container in a snapshot', () => {
  it.each([
    [{ name: 'web-certs', mountPath: '/data' }, [{ name: 'tls' }]],
    [{ name: 'data', mountPath: '/etc/tls' }, [{ name: 'tls' }]],
    [{ name: 'files', mountPath: '/data' }, [{ name: 'tls' }]],
    [{ name: 'data', mountPath: '/data' }, undefined],
  ])('say only that one holds certificates: %j', (mount, shown) => {
    const volumes = [{ name: 'files', secret: { secretName: 'web-tls' } }];
    expect(partOf({ volumeMounts: [mount] }, 'containers', volumes)['volumeMounts']).toEqual(shown);
  });
});

describe('the command line of a container in a snapshot', () => {
  it('keeps the words that other fields have, also behind a letter for a password', () => {
    const ports = [{ containerPort: 8080 }];
    expect(partOf({ ports, command: ['web', '-p'], args: ['8080', '-p', '4711'] })).toMatchObject({
      command: ['web', '-p'],
      args: ['8080', '-p', 'x'],
    });
  });
});
