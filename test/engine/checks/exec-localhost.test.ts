import { describe, expect, it } from 'vitest';
import { checkTexts } from '../../support/check-texts.ts';
import { findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-localhost';
const running = (command: readonly string[], container: JsonObject = {}): JsonObject =>
  podWith({ livenessProbe: { exec: { command } }, ...container });
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

  it('writes the handler, and no edits, because the application may listen on loopback only', () =>
    expect(onlyFinding(ID, running(['curl', '-f', HEALTHZ]))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command',
      message:
        'container "app" starts "curl" for each livenessProbe, to ask an address that the kubelet can ask without a process',
      remedy: "write httpGet: { path: /healthz, port: 8080 } if the application listens on the Pod's IP",
    }));

  it.each(cases('exec-localhost', 'reads') as [string[], string][])('reads %j', (command, handler) =>
    expect(onlyFinding(ID, running(command)).remedy).toBe(
      `write ${handler} if the application listens on the Pod's IP`,
    ),
  );

  it.each(cases('exec-localhost', 'accepts') as [string[]][])('accepts %j', (command) =>
    expect(findings(ID, running(command))).toEqual([]),
  );

  it('accepts a port that the application binds to loopback', () => {
    const args = ['--listen=127.0.0.1:8080'];
    expect(findings(ID, running(['curl', HEALTHZ], { args }))).toEqual([]);
    expect(findings(ID, running(['curl', 'localhost:9090'], { args }))).toHaveLength(1);
  });

  it('does not read a client with more than a hundred words', () => {
    const options = (count: number): string[] => Array.from({ length: count }, () => '-s');
    expect(findings(ID, running(['curl', ...options(99), HEALTHZ]))).toHaveLength(1);
    expect(findings(ID, running(['curl', ...options(100), HEALTHZ]))).toEqual([]);
  });
});
