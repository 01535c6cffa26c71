import { describe, expect, it } from 'vitest';
import { checkTexts } from '../../support/check-texts.ts';
import { findings, onlyFinding, podWith } from './workload.ts';
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

  it('writes the handler, and no edits, because the application may listen on loopback only', () => {
    expect(onlyFinding(ID, running(['curl', '-f', HEALTHZ]))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command',
      message:
        'container "app" starts "curl" for each livenessProbe, to ask an address that the kubelet can ask without a process',
      remedy: "write httpGet: { path: /healthz, port: 8080 } if the application listens on the Pod's IP",
    });
  });

  it.each([
    [['curl', '-fsSk', '-m', '5', '-o', '/dev/null', HEALTHZ], 'httpGet: { path: /healthz, port: 8080 }'],
    [['curl', '-sfo', '/dev/null', HEALTHZ], 'httpGet: { path: /healthz, port: 8080 }'],
    [['curl', '--fail', '--max-time=5', 'localhost'], 'httpGet: { path: /, port: 80 }'],
    [['curl', 'https://127.0.0.1/?a=b'], 'httpGet: { path: "/?a=b", port: 443, scheme: HTTPS }'],
    [['curl', 'http://[::1]:9090/x#y'], 'httpGet: { path: /x, port: 9090 }'],
    [['wget', '-qO-', HEALTHZ], 'httpGet: { path: /healthz, port: 8080 }'],
    [['wget', '-qO', '/dev/null', HEALTHZ], 'httpGet: { path: /healthz, port: 8080 }'],
    [['wget', '--spider', '-T', '3', HEALTHZ], 'httpGet: { path: /healthz, port: 8080 }'],
    [['nc', '-z', 'localhost', '5432'], 'tcpSocket: { port: 5432 }'],
    [['nc', '-zvw', '2', '127.0.0.1', '5432'], 'tcpSocket: { port: 5432 }'],
    [['nc', '-w1', '127.0.0.1', '5432'], 'tcpSocket: { port: 5432 }'],
    [['timeout', '5', 'curl', HEALTHZ], 'httpGet: { path: /healthz, port: 8080 }'],
    [['sh', '-c', `curl -f ${HEALTHZ} > /dev/null 2>&1 || exit 1`], 'httpGet: { path: /healthz, port: 8080 }'],
    [['sh', '-c', `exec curl -f '${HEALTHZ}'`], 'httpGet: { path: /healthz, port: 8080 }'],
  ])('reads %j', (command, handler) => {
    expect(onlyFinding(ID, running(command)).remedy).toBe(
      `write ${handler} if the application listens on the Pod's IP`,
    );
  });

  it.each([
    [['curl', '-f', 'http://web:8080/healthz']],
    [['curl', '-f', '-H', 'Host: web', HEALTHZ]],
    [['curl', '-u', 'a:b', HEALTHZ]],
    [['curl', '-X', 'POST', HEALTHZ]],
    [['curl', '--cacert', '/ca', HEALTHZ]],
    [['curl', '--unix-socket', '/run/x.sock', HEALTHZ]],
    [['curl', HEALTHZ, HEALTHZ]],
    [['curl', 'http://a:b@localhost/']],
    [['curl', 'http://localhost:99999/']],
    [['curl', 'http://localhost:$(PORT)/']],
    [['curl']],
    [['wget', '--post-data', 'x', HEALTHZ]],
    [['nc', '-u', 'localhost', '53']],
    [['nc', '-z', 'localhost', '80-90']],
    [['nc', '-U', '/run/x.sock']],
    [['sh', '-c', `curl -f ${HEALTHZ} | grep UP`]],
    [['sh', '-c', `curl -f ${HEALTHZ} && test -f /x`]],
    [['sh', '-c', `curl -f ${HEALTHZ}; exit 1`]],
    [['sh', '-c', `! curl -f ${HEALTHZ}`]],
    [['sh', '-c', 'curl -f http://localhost:$PORT/']],
    [['sh', '-c', `curl -f ${HEALTHZ} || true`]],
    [['python', 'curl', HEALTHZ]],
  ])('accepts %j', (command) => {
    expect(findings(ID, running(command))).toEqual([]);
  });

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
