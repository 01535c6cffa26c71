import { describe, expect, it } from 'vitest';
import { CAUSE_TEXTS, isContainerCause, isDefinite } from '../../../src/observer/failing/causes.ts';

const causes = Object.keys(CAUSE_TEXTS);

describe('the causes of failures', () => {
  it('are definite where no slow start gives such an answer', () => {
    expect(causes.filter(isDefinite)).toEqual([
      ...['http-400', 'http-401', 'http-403', 'http-404', 'http-3xx', 'http-4xx', 'redirect-other-host'],
      ...['tls-mismatch', 'tls-handshake', 'other-protocol', 'executable-not-found', 'grpc-unimplemented'],
      'port-name-undeclared',
    ]);
  });

  it('are of a container, and of no probe, where the status alone tells them', () => {
    expect(causes.filter(isContainerCause)).toEqual(['crash-loop', 'out-of-memory', 'cannot-start']);
    expect(isContainerCause('toString')).toBe(false);
  });

  it('have a problem that goes on a sentence, and a remedy of whole sentences', () => {
    for (const { problem, remedy } of Object.values(CAUSE_TEXTS)) {
      expect(problem).toMatch(/^[a-z].*[^.]$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  });
});
