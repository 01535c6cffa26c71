import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionPin, integrityOf, UNRELEASED, withActionPin } from '../../scripts/release/action-pin.ts';
import { VERSION } from '../../src/base/version.ts';

const action = readFileSync('action.yml', 'utf8');

describe('the pin of action.yml', () => {
  it('has the version of package.json, and an integrity or the word for a version that is not released', () => {
    const { version, integrity } = actionPin(action);
    expect(version).toBe(VERSION);
    expect(integrity === UNRELEASED || /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)).toBe(true);
  });

  it('is what a release writes, and nothing else changes', () => {
    const pin = { version: '1.2.3', integrity: integrityOf(Buffer.from('package')) };
    const after = withActionPin(action, pin);
    expect(actionPin(after)).toEqual(pin);
    expect(withActionPin(after, actionPin(action))).toBe(action);
    expect(integrityOf(Buffer.from(''))).toBe(
      'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    );
  });

  it('is needed', () => {
    expect(() => actionPin('runs: {}')).toThrow('action.yml has no VERSION or no INTEGRITY');
  });
});
