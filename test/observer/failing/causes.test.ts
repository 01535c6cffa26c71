import { describe, expect, it } from 'vitest';
import { CAUSE_TEXTS, isDefinite, subjectOfCause, withoutWrongStarts } from '../../../src/observer/failing/causes.ts';

const causes = Object.keys(CAUSE_TEXTS);

describe('the causes of failures', () => {
  it('are definite where no slow start gives such an answer', () => {
    expect(causes.filter(isDefinite)).toEqual([
      ...[
        'http-400',
        'http-401',
        'http-403',
        'http-404',
        'http-3xx',
        'http-4xx',
        'redirect-other-host',
        'redirect-https',
      ],
      'mesh-plain',
      ...['tls-mismatch', 'tls-handshake', 'other-protocol', 'executable-not-found', 'grpc-unimplemented'],
      'port-name-undeclared',
    ]);
  });

  it('leave out what is said about the start of a container whose endpoint gives a wrong answer', () => {
    const found = ['observed-startup', 'startup-budget'].flatMap((check) =>
      ['app', 'side'].map((container) => ({ check, container })),
    );
    const left = (cause: string) => {
      const live = [{ properties: {} }, { properties: { cause, container: 'app' } }];
      return withoutWrongStarts(found, live).map(({ check, container }) => `${check} ${container}`);
    };
    const others = ['observed-startup side', 'startup-budget app', 'startup-budget side'];
    for (const cause of ['http-404', 'http-403', 'tls-mismatch']) expect(left(cause)).toEqual(others);
    for (const cause of ['killed-while-starting', 'connection-refused', 'timeout', 'http-5xx', 'redirect-other-host'])
      expect(left(cause)).toEqual(['observed-startup app', ...others]);
  });

  it('are of a container or of a whole Pod, and of no probe, where the status alone tells them', () => {
    const of = (subject: string): string[] => causes.filter((cause) => subjectOfCause(cause) === subject);
    expect(of('container').slice(0, 3)).toEqual(['crash-loop', 'out-of-memory', 'cannot-start']);
    expect(of('pod')).toContain('not-scheduled');
    expect(of('probe')).toContain('killed-while-starting');
    expect(subjectOfCause('toString')).toBeUndefined();
  });

  it('have a problem that goes on a sentence, and a remedy of whole sentences', () => {
    for (const { problem, remedy } of Object.values(CAUSE_TEXTS)) {
      expect(problem).toMatch(/^[a-z].*[^.]$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  });
});
