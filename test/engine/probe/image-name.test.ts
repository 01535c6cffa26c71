import { describe, expect, it } from 'vitest';
import { isForwardingProxy, partsOfImage, saysWithoutTools } from '../../../src/engine/probe/image-name.ts';

it.each([
  ['nginx', ['nginx']],
  ['library/nginx:1.27', ['library', 'nginx:1.27']],
  ['docker.io/library/nginx', ['library', 'nginx']],
  ['registry:5000/web:1@sha256:abc', ['web:1']],
  ['localhost/web', ['web']],
  ['localhost.example/web', ['web']],
  ['localhosts/web', ['localhosts', 'web']],
  ['web:1', ['web:1']],
  ['', ['']],
])('the path of image %s is %j', (image, parts) => expect(partsOfImage(image)).toEqual(parts));

describe('an image without tools', () => {
  it.each([
    ['gcr.io/distroless/static', 'distroless'],
    ['acme/web:1.2-scratch', 'scratch'],
    ['acme/Web-Distroless', 'distroless'],
    ['gcr.io/distroless/base:debug', undefined],
    ['gcr.io/distroless/busybox', undefined],
    ['distroless.example/web', undefined],
    ['web@sha256:scratch', undefined],
    ['acme/scratchpad', undefined],
  ])('says so: %s', (image, word) => expect(saysWithoutTools(image)).toBe(word));

  it('is not sought in a name of more than 1,024 characters', () => {
    const long = (length: number): string => '/scratch'.padStart(length, 'x');
    expect([saysWithoutTools(long(1024)), saysWithoutTools(long(1025))]).toEqual(['scratch', undefined]);
  });
});

describe('a proxy that only forwards', () => {
  it.each([
    ['kube-rbac-proxy', true],
    ['quay.io/brancz/kube-rbac-proxy:v0.18', true],
    ['registry/openshift/ose-kube-rbac-proxy-rhel9@sha256:a', true],
    ['oauth2-proxy/oauth2-proxy', true],
    ['kube-rbac-proxy/web', false],
    ['kube-rbac-proxyd', false],
    ['mykube-rbac-proxy', false],
    ['envoy', false],
  ])('%s: %s', (image, expected) => expect(isForwardingProxy(image)).toBe(expected));

  it('is not sought in a name of more than 1,024 characters', () => {
    const long = (length: number): string => '/oauth-proxy'.padStart(length, 'x');
    expect([isForwardingProxy(long(1024)), isForwardingProxy(long(1025))]).toEqual([true, false]);
  });
});
