import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imagePath, imagePatternProblem, matchesPath } from '../../../src/engine/policy/image-pattern.ts';
import { NOW } from '../../support/now.ts';
import { mutate } from '../../support/decisions.ts';
import { parsedPolicy, pod, policyDocument, policySet, requestOf, reviewOf } from '../../support/worlds.ts';
import { parseProbePolicy } from '../../../src/engine/policy/read-policy.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const matchesImage = (patterns: readonly string[], image: string): boolean =>
  matchesPath(
    patterns.map((pattern) => pattern.split('/')),
    imagePath(image).split('/'),
  );

describe('the path of an image', () =>
  it.each([
    ['postgres', 'postgres'],
    ['postgres:16', 'postgres'],
    ['postgres@sha256:aa', 'postgres'],
    ['docker.io/library/postgres:16-alpine', 'postgres'],
    ['registry:5000/shop/web:1.2', 'shop/web'],
    ['localhost/web', 'web'],
    ['quay.io/keycloak/keycloak:26.0@sha256:bb', 'keycloak/keycloak'],
    ['bitnami/postgresql:17', 'bitnami/postgresql'],
    ['', ''],
  ])('of %s is %s', (image, path) => expect(imagePath(image)).toBe(path)));

describe('a pattern of images', () => {
  it.each([
    ['postgres', 'postgres:16', true],
    ['postgres', 'bitnami/postgres:16', false],
    ['*/keycloak', 'quay.io/keycloak/keycloak', true],
    ['*/keycloak', 'keycloak', false],
    ['*/*', 'a/b', true],
    ['*', 'a/b', false],
  ])('%s and %s: %s', (pattern, image, fits) => expect(matchesImage([pattern], image)).toBe(fits));

  it('fits beside patterns that do not', () => {
    expect(matchesImage(['mysql', '*/redis', 'redis'], 'redis:7')).toBe(true);
    expect(matchesImage(['mysql', '*/redis'], 'redis:7')).toBe(false);
    expect(matchesImage([], 'redis:7')).toBe(false);
  });

  it('may have digits, and signs between them, in each part', () => {
    for (const text of ['*', '9', 'a9/b0', 'a.b_c__d-e/x', '*/*/k8s'])
      expect(imagePatternProblem(text), text).toBeUndefined();
    for (const text of ['a+b', '-a', 'a-', 'a/+', '+', '9+', '.a/b'])
      expect(imagePatternProblem(text), text).toBeDefined();
  });

  it('says what is wrong with it', () => {
    for (const text of ['postgres:16', 'a/b@sha256:00', 'quay.io/*/keycloak:26'])
      expect(imagePatternProblem(text), text).toBe('must have no tag and no digest, such as postgres');
    for (const text of ['Postgres', 'a//b', '/a', 'a/', 'post*', 'a b'])
      expect(imagePatternProblem(text), text).toMatch(/^must be the path of an image/);
  });

  it('fits the image that it is the path of, whatever registry, tag and digest', () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,5}([._-][a-z0-9]{1,3})?$/);
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 3 }),
        fc.constantFrom('', 'quay.io/', 'localhost:5000/'),
        fc.constantFrom('', ':1.2', '@sha256:00', ':1@sha256:00'),
        (parts, registry, version) => {
          const path = parts.join('/');
          fc.pre(registry !== '' || !(parts[0] ?? '').includes('.'));
          fc.pre(parts[0] !== 'localhost' && parts[0] !== 'library');
          expect(matchesImage([path], `${registry}${path}${version}`)).toBe(true);
          expect(matchesImage([`${path}x`], `${registry}${path}${version}`)).toBe(false);
        },
      ),
    );
  });
});

describe('a policy with images', () => {
  const spec = { images: ['redis'], probes: { livenessProbe: { tcpSocket: { port: 6379 } } } };
  const ports = [{ containerPort: 6379 }];
  const patched = (containers: JsonObject[]): string[] => {
    const request = requestOf(reviewOf(pod(containers)));
    const { defaulting } = mutate(request, policySet(policyDocument(spec)), 'On', NOW);
    const injections = defaulting?.injections ?? [];
    return injections.map(({ container, kind }) => `${container.name} ${kind}`);
  };

  it('speaks for every application container with such an image, and for no other', () => {
    const containers = ['redis:7', 'acme/redis', 'web'].map((image, index) => ({ name: `c${index}`, image, ports }));
    expect(patched(containers)).toEqual(['c0 livenessProbe', 'c0 startupProbe']);
  });

  it('speaks for the named containers alone where it names containers too', () => {
    const parsed = parsedPolicy(policyDocument({ ...spec, containers: ['cache'] }));
    expect(parsed.containers).toEqual(['cache']);
    expect(parsed.images).toEqual(['redis']);
  });

  it('sets no checks', () => {
    const document = policyDocument({ ...spec, checks: { 'named-port': { action: 'Deny' } } });
    const read = parseProbePolicy(CHECK_CATALOGUE, document);
    expect(read.problems !== undefined ? read.problems.map(formatProblem) : []).toEqual([
      'spec.checks: a policy with images sets no checks: they are for containers by name; write another policy',
    ]);
  });
});
