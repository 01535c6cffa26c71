import { describe, expect, it } from 'vitest';
import { heavyProgramOf, isCheap } from '../../../src/engine/command/starts.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

const heavy = (...command: readonly string[]): string | undefined => heavyProgramOf(new ExecCommand(command));

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
    [['sh', '-c', 'mongosh --eval 1 || exit 1'], 'mongosh'],
    [['sh', '-c', 'for i in 1 2; do mongosh --eval 1 && exit 0; done; exit 1'], 'mongosh'],
    [['sh', '-c', 'if [ -f /a ]; then php a.php; else node a.js; fi'], 'php'],
    [['sh', '-c', 'check() { python3 /check.py; }; check'], 'python3'],
    [['sh', '-c', 'trap : EXIT; nodetool status'], 'nodetool'],
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
    [['sh', 'run', 'java -jar x']],
    [['sh', '-c', 'echo "checking; python backend" && nc -z localhost 8080']],
    [['sh', '-c', 'command -v python3 >/dev/null && test -f /x']],
    [['sh', '-c', 'test -f /x || python3 /x.py']],
    [['sh', '-c', 'python3 /x.py &']],
    [['sh', '-c', 'check() { python3 /check.py; }; test -f /x']],
    [['sh', '-c', "echo 'open"]],
  ])('is not in %j', (command) => expect(heavy(...command)).toBeUndefined());
});

describe('a command that costs little', () => {
  it.each([
    [['cat', '/tmp/x']],
    [['sh', '-c', 'test -f /x && pgrep app | wc -l']],
    [['sh', '-c', '[ "$(cat /x)" = 1 ] || exit 1']],
    [['nc', '-zw1', 'localhost', '1']],
  ])('is %j', (command) => expect(isCheap(new ExecCommand(command))).toBe(true));

  it.each([
    [[]],
    [['curl', 'localhost']],
    [['sh', '-c', 'test -f /x && nc localhost 1']],
    [['sh', '-c', 'echo > /dev/tcp/localhost/80']],
    [['sh', '-c', 'sleep 1']],
    [['sh', '-c', "echo 'open"]],
  ])('is not %j', (command) => expect(isCheap(new ExecCommand(command))).toBe(false));
});
