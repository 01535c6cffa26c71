import { describe, expect, it } from 'vitest';
import {
  containerNameProblem,
  isDnsLabel,
  isDnsSubdomain,
  objectNameProblem,
  POLICY_API_VERSION,
} from '../../../src/engine/policy/object-names.ts';

describe('a DNS label', () => {
  it.each(['a', '1', 'web-1', 'a--b', 'a'.repeat(63)])('may be %j', (text) => expect(isDnsLabel(text)).toBe(true));
  it.each(['', 'A', '-a', 'a-', 'a.b', 'a_b', 'a b', 'é', 'a\n', 'a'.repeat(64)])('cannot be %j', (text) =>
    expect(isDnsLabel(text)).toBe(false),
  );
});

describe('a DNS subdomain', () => {
  it.each(['a', 'web-1', 'a.b.c', '1.2', 'a'.repeat(253), `${'a'.repeat(126)}.${'b'.repeat(126)}`])(
    'may be %j',
    (text) => expect(isDnsSubdomain(text)).toBe(true),
  );
  it.each(['', '.', 'a.', '.a', 'a..b', 'a.-b', 'a-.b', 'A.b', 'a/b', 'a'.repeat(254)])('cannot be %j', (text) =>
    expect(isDnsSubdomain(text)).toBe(false),
  );
});

describe('a name', () => {
  it('of an object is a DNS subdomain', () => {
    expect(objectNameProblem('web.v1')).toBeUndefined();
    expect(objectNameProblem('Web')).toBe('"Web" is not an object name: lower-case letters, digits, "-" and "."');
  });

  it('of a container is a DNS label', () => {
    expect(containerNameProblem('web-1')).toBeUndefined();
    expect(containerNameProblem('web.v1')).toBe(
      '"web.v1" is not a container name: lower-case letters, digits and "-", such as "app"',
    );
  });
});

describe('the version of our kinds', () =>
  it('is v1alpha1', () => expect(POLICY_API_VERSION).toBe('probewright.dev/v1alpha1')));
