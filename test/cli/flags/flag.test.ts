import { describe, expect, it } from 'vitest';
import { inGroup, optional, repeatable, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { wholeNumber } from '../../../src/cli/flags/value-types.ts';

const PORT = wholeNumber('PORT', 1, 9);
const TEXTS = { short: 'p', details: 'More.', links: '[Docs](#docs).', otherwise: 'none' };

describe('an optional flag', () => {
  const flag = optional(PORT, 'A port.', TEXTS);

  it('has no value without a text, and else the value of the last text', () => {
    expect([flag.read([]), flag.read(['1']), flag.read(['x', '3'])]).toEqual([undefined, 1, 3]);
    expect(() => flag.read(['3', 'x'])).toThrow('must be a whole number from 1 to 9, not "x"');
  });

  it('has its texts, no default, and counts once', () => {
    expect(flag).toMatchObject({ ...TEXTS, summary: 'A port.', type: PORT, default: undefined, isRepeatable: false });
    expect(Object.keys(optional(PORT, 'A port.')).sort()).toEqual([
      'default',
      'isRepeatable',
      'read',
      'summary',
      'type',
    ]);
  });
});

describe('a flag with a default', () => {
  const flag = withDefault(PORT, '8', 'A port.', TEXTS);

  it('has the value of the default without a text, and else the value of the last text', () => {
    expect([flag.read([]), flag.read(['1']), flag.read(['x', '3'])]).toEqual([8, 1, 3]);
    expect(() => flag.read(['3', ''])).toThrow('must be a whole number');
  });

  it('has its texts and its default, and counts once', () => {
    expect(flag).toMatchObject({ ...TEXTS, summary: 'A port.', type: PORT, default: '8', isRepeatable: false });
  });
});

describe('a switch', () => {
  const flag = toggle('On.', TEXTS);

  it('is on when it is given', () => {
    expect([flag.read([]), flag.read(['']), flag.read(['', ''])]).toEqual([false, true, true]);
  });

  it('takes no value, and counts once', () => {
    expect(flag).toMatchObject({ ...TEXTS, summary: 'On.', type: undefined, default: undefined, isRepeatable: false });
  });
});

describe('a flag that may be given several times', () => {
  const flag = repeatable(PORT, 'Ports.', TEXTS);

  it('has all values in their order', () => {
    expect([flag.read([]), flag.read(['3', '1', '3'])]).toEqual([[], [3, 1, 3]]);
    expect(() => flag.read(['x', '3'])).toThrow('not "x"');
  });

  it('has its texts and no default', () => {
    expect(flag).toMatchObject({ ...TEXTS, summary: 'Ports.', type: PORT, default: undefined, isRepeatable: true });
  });
});

describe('a group', () => {
  it('is the heading of its flags, which stay as they are', () => {
    const flags = { port: optional(PORT, 'A port.'), on: toggle('On.') };
    const grouped = inGroup('Cluster', flags);
    expect(Object.keys(grouped)).toEqual(['port', 'on']);
    expect(grouped.port).toEqual({ ...flags.port, group: 'Cluster' });
    expect([grouped.on.group, grouped.on.read([''])]).toEqual(['Cluster', true]);
    expect(flags.port.group).toBeUndefined();
  });
});
