import { describe, expect, it } from 'vitest';
import { checkTexts } from '../../support/check-texts.ts';
import { podWith } from './workload.ts';

const ID = 'exec-localhost';
const HEALTHZ = 'http://localhost:8080/healthz';

describe('exec-localhost', () => {
  it('blocks no words that copies the handler, because the probe works', () => {
    const liveness = { exec: { command: ['wget', '-qO-', HEALTHZ] }, timeoutSeconds: 5, initialDelaySeconds: 120 };
    const { violations } = checkTexts(
      [{ file: 'a.json', text: JSON.stringify(podWith({ livenessProbe: liveness })) }],
      [],
    );
    expect(violations.map(({ check }) => check)).toContain(ID);
    const delayed = violations.find(({ check }) => check === 'delayed-liveness');
    expect(delayed?.remedy).toContain('startupProbe: { exec: { command: [wget, "-qO-"');
  });
});
