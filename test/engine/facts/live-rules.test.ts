import { expect, it } from 'vitest';
import {
  CONTAINER_FAILING_RULE,
  isFailingRule,
  MISSED_PODS_RULE,
  PROBE_FAILING_RULE,
} from '../../../src/engine/facts/live-rules.ts';

it('a probe and a container fail; Pods that lack probes, and checks, do not', () => {
  const rules = [PROBE_FAILING_RULE, CONTAINER_FAILING_RULE, MISSED_PODS_RULE, 'named-port', ''];
  expect(rules.map(isFailingRule)).toEqual([true, true, false, false, false]);
});
