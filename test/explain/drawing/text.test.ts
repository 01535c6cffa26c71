import { expect, it } from 'vitest';
import { explanationsAsText } from '../../../src/explain/drawing/text.ts';

it('text has a line for every reason, however many there are', () => {
  const notInjected = Array.from({ length: 200_000 }, (_, index) => `reason ${index}`);
  const workload = { kind: 'Pod', namespace: 'apps', name: 'web', place: 'a.yaml:1:1', containers: [], notInjected };
  expect(explanationsAsText([workload]).split('\n')).toContain('    - reason 199999');
});
