import { describe, expect, it } from 'vitest';
import {
  heavyClientOf,
  leastExecPeriodSeconds,
  PATIENT_TIMEOUT_SECONDS,
} from '../../../../src/engine/checks/lib/heavy-client.ts';
import { podWith, workloadOf } from '../workload.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';
import type { Probe } from '../../../../src/engine/workload/pod.ts';

function probeOf(livenessProbe: JsonObject): Probe {
  const [probe] = workloadOf(podWith({ livenessProbe })).pod.containers[0]?.probes ?? [];
  if (probe === undefined) throw new Error('no probe');
  return probe;
}
const exec = (...command: readonly string[]): Probe => probeOf({ exec: { command } });
const heavy = (...command: readonly string[]): string | undefined => heavyClientOf(exec(...command));

describe('a heavy client', () => {
  it.each([
    ['rabbitmqctl'],
    ['/opt/rabbitmq/sbin/rabbitmq-diagnostics'],
    ['java'],
    ['NodeTool.exe'],
    ['kafka-topics.sh'],
    ['python3.12'],
    ['node'],
    ['nodejs'],
    ['php8'],
  ])('is the program %s', (program) => {
    const name = program.slice(program.lastIndexOf('/') + 1);
    expect(heavy(program, 'x')).toBe(name);
    expect(heavy('timeout', '5', program)).toBe(name);
  });

  it.each([
    [['sh', '-c', 'nodetool status | grep UN'], 'nodetool'],
    [['bash', '-ec', 'test -f /x && exec /usr/bin/python3 check.py'], 'python3'],
    [['sh', '-c', 'echo a; java -version'], 'java'],
    [['sh', '-c', 'if ! mongosh --eval 1; then exit 1; fi'], 'mongosh'],
    [['sh', '-c', 'A=1 B=2 celery status'], 'celery'],
    [['sh', '-c', '[ "$(php -v)" ]'], 'php'],
    [['sh', '-c', 'x=`ruby -v`'], 'ruby'],
    [['sh', '-c', '( rake x )'], 'rake'],
    [['sh', '-c', 'timeout 3 cqlsh'], 'cqlsh'],
    [['sh', '-c', 'true\n  npx check'], 'npx'],
    [['cmd', '/c', 'powershell', '-Command', 'x'], 'powershell'],
    [['CMD.EXE', '/c', 'pwsh -c x'], 'pwsh'],
    [['sh', 'run', 'java -jar x'], 'java'],
  ])('is in the script of %j', (command, name) => expect(heavy(...command)).toBe(name));

  it.each([
    [['pg_isready']],
    [['cat', '/java']],
    [['echo', 'java -version']],
    [['kafka-topics.txt']],
    [['pythonic']],
    [['sh', '-c', 'pg_isready']],
    [['sh', '-c', 'cat /opt/java/x']],
    [['sh', '-c', 'grep java /x']],
    [['sh', '-c', 'A=java']],
    [['sh', '-c', 'echo node']],
    [['sh', '-c', '']],
    [['xcmd', '/c', 'java']],
    [['timeout', '5']],
  ])('is not in %j', (command) => expect(heavy(...command)).toBeUndefined());

  it('is not in another handler', () => {
    expect(heavyClientOf(probeOf({ httpGet: { path: '/java', port: 1 } }))).toBeUndefined();
    expect(heavyClientOf(probeOf({ tcpSocket: { port: 1 } }))).toBeUndefined();
  });
});

describe('the shortest period', () => {
  it('is 0 without a command', () => expect(leastExecPeriodSeconds(probeOf({ tcpSocket: { port: 1 } }), 60)).toBe(0));

  it('is that of a small program, and at least 30 s for a heavy client', () => {
    expect(leastExecPeriodSeconds(exec('pg_isready'))).toBe(5);
    expect(leastExecPeriodSeconds(exec('pg_isready'), 3)).toBe(3);
    expect(leastExecPeriodSeconds(exec('java'))).toBe(30);
    expect(leastExecPeriodSeconds(exec('java'), 29)).toBe(30);
    expect(leastExecPeriodSeconds(exec('java'), 31)).toBe(31);
  });

  it('of a small program is as long as its time to answer', () =>
    expect(leastExecPeriodSeconds(exec('pg_isready'))).toBe(PATIENT_TIMEOUT_SECONDS));
});
