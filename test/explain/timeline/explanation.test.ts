import { expect, it } from 'vitest';
import { workloadTitle } from '../../../src/explain/timeline/explanation.ts';

it('the title of a workload begins with the name, because readers look for the name', () =>
  expect(workloadTitle({ kind: 'Deployment', namespace: 'apps', name: 'web' })).toBe(
    'web (Deployment in namespace apps)',
  ));
