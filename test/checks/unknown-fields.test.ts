import { expect, it } from 'vitest';
import { unknownProbeFields } from '../../src/checks/unknown-fields.ts';

it('finds every unknown field, however many there are', () => {
  const count = 200_000;
  const livenessProbe = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
  const found = unknownProbeFields({ containers: [{ name: 'app', livenessProbe }] }, ['spec']);
  expect(found).toHaveLength(count);
  expect(found.at(-1)).toEqual({
    container: 'app',
    path: ['spec', 'containers', 0, 'livenessProbe', `k${count - 1}`],
    message: 'unknown field, which the API server drops',
  });
});
