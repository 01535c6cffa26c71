import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  isForwardingProxy,
  lackingIn,
  lacks,
  mayMove,
  readImage,
  repositoryOf,
  withoutDigest,
} from '../../../src/engine/command/image.ts';

describe('the name of an image', () => {
  it.each([
    ['nginx', ['', 'nginx', '', '']],
    ['library/nginx:1.27', ['', 'library/nginx', '1.27', '']],
    ['docker.io/library/nginx', ['docker.io', 'library/nginx', '', '']],
    ['registry:5000/web:1@sha256:abc', ['registry:5000', 'web', '1', 'sha256:abc']],
    ['[2001:db8::1]:5000/shop/web:1', ['[2001:db8::1]:5000', 'shop/web', '1', '']],
    ['localhost/web', ['localhost', 'web', '', '']],
    ['localhost.example/web', ['localhost.example', 'web', '', '']],
    ['localhosts/web', ['', 'localhosts/web', '', '']],
    ['Registry/web', ['Registry', 'web', '', '']],
    ['web:1', ['', 'web', '1', '']],
    ['web@sha256:abc', ['', 'web', '', 'sha256:abc']],
    ['', ['', '', '', '']],
  ])('%s has a registry, a path, a tag and a digest: %j', (image, [registry, path, tag, digest]) =>
    expect(readImage(image)).toEqual({ registry, path, tag, digest }),
  );

  it('is read up to 1,024 characters', () => expect(readImage(`web:${'1'.repeat(2000)}`).tag).toHaveLength(1020));

  it('has a repository without tag and digest', () =>
    expect(['a', 'a:1', 'r:5000/a', 'r:5000/a:1', 'r/a@sha256:0', 'r/a:1@sha256:0', ''].map(repositoryOf)).toEqual([
      'a',
      'a',
      'r:5000/a',
      'r:5000/a',
      'r/a',
      'r/a',
      '',
    ]));

  it('keeps its tag without the digest', () =>
    expect(['r:5000/a:1@sha256:0', 'a', 'a@b@c'].map(withoutDigest)).toEqual(['r:5000/a:1', 'a', 'a']));
});

interface KnownImage {
  readonly image: string;
  readonly lacks: 'tools' | 'bash' | 'nothing';
  readonly kind?: string;
  readonly source: string;
}

it.each([
  ['r/app:1', false],
  ['r/app@sha256:0', false],
  ['r/app:latest@sha256:0', false],
  ['localhost:5000/app', true],
  ['r/app:latest', true],
  ['app', true],
])('the image %s may be another version tomorrow: %s', (image, expected) => expect(mayMove(image)).toBe(expected));

describe('what an image lacks', () => {
  const known = parse(readFileSync('test/fixtures/images.yaml', 'utf8')) as readonly KnownImage[];

  it.each(known.map((row) => [row.image, row] as const))('%s: as its publisher says', (image, row) =>
    expect(lackingIn(image)).toEqual(row.lacks === 'nothing' ? undefined : { kind: row.kind, programs: row.lacks }),
  );

  it.each([
    'my-distroless-demo',
    'acme/distroless-demo:1',
    'static-site',
    'acme/static',
    'pauser',
    'acme/pause-menu:3.9',
    'acme/pause:1.2',
    'pause',
    'scratchpad',
    'acme/scratch/web',
    'acme/fromscratch',
    'acme/chiseled',
    'alpinejs/web',
    'acme/alpine',
    'web:1-alpinejs',
    'busyboxes',
    'distroless.example/web',
    'distroless:5000/web',
    'web@sha256:scratch',
    'acme/web:1-non-distroless',
    'acme/web:1-distroless-debug',
    'acme/web-shell:1-scratch',
    'acme/web:1-alpine-bash',
  ])('is not said by a name that only contains the word: %s', (image) => expect(lackingIn(image)).toBeUndefined());

  it.each([
    'gcr.io/Distroless/java',
    'gcr.io/distroless//java',
    '${IMAGE}-distroless',
    'web:a distroless',
    '{{ web-scratch }}',
  ])('is not said by a text that is no name: %s', (image) => expect(lackingIn(image)).toBeUndefined());

  it.each([
    ['acme/web-distroless:1.2', 'distroless'],
    ['acme/web:1.2-DISTROLESS', 'distroless'],
    ['acme/web:1.2_scratch', 'scratch'],
    ['web-scratch', 'scratch'],
    ['acme/web:24.04-chiselled', 'chiseled'],
  ])('is said by the variant in the name or tag of another publisher: %s', (image, kind) =>
    expect(lackingIn(image)).toEqual({ kind, programs: 'tools' }),
  );

  it('is not sought in a name of more than 255 characters', () => {
    const long = (length: number): string => '-scratch'.padStart(length, 'x');
    expect([lackingIn(long(255))?.kind, lackingIn(long(256))?.kind]).toEqual(['scratch', undefined]);
  });

  it('is the shells and tools, or bash alone', () => {
    const lacking = (programs: 'tools' | 'bash'): readonly string[] =>
      ['sh', 'bash', 'cat', '[', 'timeout', 'busybox', 'java'].filter((one) => lacks({ kind: 'any', programs }, one));
    expect(lacking('tools')).toEqual(['sh', 'bash', 'cat', '[', 'timeout', 'busybox']);
    expect(lacking('bash')).toEqual(['bash']);
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

  it('is not sought in a name of more than 255 characters', () => {
    const long = (length: number): string => '/oauth-proxy'.padStart(length, 'x');
    expect([isForwardingProxy(long(255)), isForwardingProxy(long(256))]).toEqual([true, false]);
  });
});
