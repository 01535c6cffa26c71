import { describe, expect, it } from 'vitest';
import { CUT_MARK } from '../../../src/engine/workload/bounded-container.ts';
import { declaredVariables, variableReferences } from '../../../src/engine/workload/variables.ts';

const declared = (...env: readonly unknown[]): unknown => {
  const variables = declaredVariables({ env });
  return variables && Object.fromEntries(variables);
};
const value = (text: string): unknown => ({ from: 'value', value: text });

describe('the variables of a container', () => {
  it('are those with a name, of which the last entry counts', () => {
    expect(declared({ name: 'A', value: '1' }, { name: 'B' }, { name: 'A', value: '2' })).toEqual({
      A: value('2'),
      B: value(''),
    });
    expect(declared(null, 'A', {}, { name: 1 }, { value: 'x' })).toEqual({});
    expect(declared()).toEqual({});
  });

  it('have a value, or a reference that is optional or not', () => {
    const valueFrom = (reference: unknown): unknown => declared({ name: 'A', value: 'x', valueFrom: reference });
    const reference = (isOptional: boolean): unknown => ({ A: { from: 'reference', isOptional } });
    expect(valueFrom({ secretKeyRef: { name: 's', key: 'k', optional: true } })).toEqual(reference(true));
    expect(valueFrom({ configMapKeyRef: { name: 's', optional: false } })).toEqual(reference(false));
    expect(valueFrom({ configMapKeyRef: { optional: 'true' } })).toEqual(reference(false));
    expect(valueFrom({ fieldRef: null })).toEqual(reference(false));
    expect(valueFrom(null)).toEqual({ A: value('x') });
  });

  it('are unknown in a list that was cut', () => expect(declared({ name: 'A' }, { name: CUT_MARK })).toBeUndefined());
});

it.each([
  ['$(A)/$(B)', ['A', 'B']],
  ['$$(A)', []],
  ['$$$(A)', ['A']],
  ['$(A', []],
  ['$(A) $(B', ['A']],
  ['$()', ['']],
  ['$A (B)', []],
  ['', []],
])('the names in %j are %j', (text, names) => expect(variableReferences(text)).toEqual(names));
