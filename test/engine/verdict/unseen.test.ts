import { describe, expect, it } from 'vitest';
import { judgementOfUnseen, violationOfUnseen } from '../../../src/engine/verdict/unseen.ts';

const template = (containers: number) => ({
  path: ['spec', 'template'],
  template: { spec: { containers: Array.from({ length: containers }, () => ({})) } },
});

it('a violation of what nobody saw is one of valid-probe, about the spec', () =>
  expect(violationOfUnseen('too many', 'Warn')).toEqual({
    check: 'valid-probe',
    action: 'Warn',
    container: '',
    path: ['spec'],
    message: 'too many',
    reason: 'FieldValueTooMany',
  }));

describe('the verdict on an object that no review looks at', () => {
  it.each([
    ['has too many containers', {}, 301, 'the object has 301 containers: more than 300 are not looked at'],
    [
      'is too long',
      { spec: { note: '<'.repeat(1_300_000) } },
      1,
      'the request has more than 7 MiB, in which each "<", ">" and "&" takes six bytes, and is not looked at; make the object smaller',
    ],
  ])('denies the object that %s', (_, object, containers, message) =>
    expect(judgementOfUnseen(object, [template(containers)])).toEqual({
      violations: [violationOfUnseen(message, 'Deny')],
      warnings: [],
      inForce: [],
    }),
  );

  it('is for no other object', () => expect(judgementOfUnseen({}, [template(300)])).toBeUndefined());
});
