import { expect, it } from 'vitest';
import { answerOf } from '../../../src/observer/failing/probe-events.ts';

it('texts of the kubelet are read in time that does not grow with what a command prints', () => {
  const start = process.cpuUsage().user;
  for (const piece of ['exec: "', 'exec: "a": stat ', '/sh: ', 'tls: ', 'malformed HTTP response "', 'sh: 1: x']) {
    answerOf(piece.repeat(2_000_000 / piece.length));
  }
  expect(process.cpuUsage().user - start).toBeLessThan(2_000_000);
});
