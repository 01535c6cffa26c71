import { describe, expect, it } from 'vitest';
import { isForTls, isNamedForHttp, isNamedForHttps, mentionsTls, tlsWordOf } from '../../../src/engine/port/tls.ts';
import { containerWith } from './container-with.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const port = (name: string | undefined, number = 8080) => ({ name, number });

describe('a port', () => {
  it('is for TLS without a name at 443, 8443 and 9443, and at no other number', () => {
    const numbers = Array.from({ length: 65_535 }, (_, index) => index + 1);
    expect(numbers.filter((number) => isForTls(port(undefined, number)))).toEqual([443, 8443, 9443]);
  });

  it('is for TLS when its name says so, and a webhook is for HTTPS on a number of TLS alone', () => {
    expect(['https', 'tls-api', 'webhook-tls'].filter((name) => !isForTls(port(name)))).toEqual([]);
    expect(['http', 'webhook', 'api'].filter((name) => isForTls(port(name)))).toEqual([]);
    expect([isNamedForHttps(port('webhook', 9443)), isNamedForHttps(port('webhook'))]).toEqual([true, false]);
    expect(isNamedForHttps(port(undefined, 443))).toBe(false);
  });

  it('is named for HTTP unless its name or number says TLS', () => {
    const named = (name: string, number = 8080) => isNamedForHttp({ name, number, protocol: 'TCP' });
    expect([named('http'), named('web'), named('http-api')]).toEqual([true, true, true]);
    expect([named('api'), named('http', 8443), named('http-webhook')]).toEqual([false, false, false]);
  });
});

describe('a container', () => {
  const certificates = {
    volumes: [{ name: 'config', secret: { secretName: 'web-tls' } }],
  };
  const mount = { volumeMounts: [{ name: 'config', mountPath: '/etc/app' }] };

  it.each<[string, JsonObject, JsonObject]>([
    ['a flag', { args: ['--certs-dir=/certs'] }, {}],
    ['a flag in a word of an unknown shell', { args: ['shell', '-ecx', 'exec db start --certs-dir=/certs'] }, {}],
    ['a variable', { env: [{ name: 'SERVER_TLS', value: 'true' }] }, {}],
    ['an address', { args: ['https://0.0.0.0:8080'] }, {}],
    ['a mounted Secret', mount, certificates],
    ['a path', { volumeMounts: [{ name: 'x', mountPath: '/etc/ssl' }] }, {}],
  ])('mentions TLS by %s', (_, members, spec) => expect(mentionsTls(containerWith(members, spec))).toBe(true));

  it.each<[string, JsonObject, JsonObject]>([
    ['nothing', {}, {}],
    ['a flag that is off', { args: ['--tls=false'] }, {}],
    ['a flag that turns TLS off', { args: ['--insecure'] }, {}],
    ['another Secret', mount, { volumes: [{ name: 'config', secret: { secretName: 'web' } }] }],
    ['a Secret that is not mounted', {}, certificates],
  ])('does not mention TLS by %s', (_, members, spec) => expect(mentionsTls(containerWith(members, spec))).toBe(false));

  it('names the setting that makes its only port a TLS port', () => {
    const wordOf = (members: JsonObject): string | undefined => {
      const container = containerWith(members);
      return tlsWordOf(container, 8080, container.readablePorts[0]);
    };
    expect(wordOf({ args: ['--tls-cert-file', '/tls.crt'] })).toBe('--tls-cert-file');
    expect(wordOf({ env: [{ name: 'SERVER_TLS', value: 'on' }] })).toBe('SERVER_TLS=on');
    expect(wordOf({ env: [{ name: 'REDIS_TLS', value: 'on' }] })).toBeUndefined();
    expect(wordOf({ args: ['--tls-cert-file=/tls.crt', '--http-port=8080'] })).toBeUndefined();
  });
});
