import { describe, expect, it } from 'vitest';
import { knownProgram } from '../../../src/engine/command/programs.ts';
import { actionOfUrl, isCheck, keepsNothing } from '../../../src/engine/command/questions.ts';

/** True when the program only asks with these words. Undefined for an unknown program. */
const asks = (program: string, ...words: readonly string[]): boolean | undefined =>
  knownProgram(program)?.asks?.(words);
/** The same for a command without quotes. */
const line = (command: string): boolean | undefined => {
  const [program = '', ...words] = command.split(' ');
  return asks(program, ...words);
};

describe('a program', () => {
  it.each([
    ...['true', 'grep -q rm /log', '[ -f x ]', 'pg_isready -U app', 'grpc_health_probe -addr=:5000'],
    ...['curl -fsS http://localhost/health', 'curl -sX HEAD localhost', 'curl --request options localhost'],
    ...['curl -so /dev/null localhost', 'curl --output=- localhost', 'curl --url=localhost/health/start'],
    ...['wget -qO- localhost', 'wget --spider localhost', 'wget --output-document=- localhost'],
    ...['nc -z localhost 80', 'find /tmp -mmin -1', 'sort -u /x', 'uniq -c', 'hostname', 'date +%s'],
    ...['kill -0 1', 'kill -l', 'pkill -s 0 app', 'killall -s0 app', 'nginx -t', 'awk /x/ y', 'sed -n 1p /x'],
    ...['mysqladmin -u root ping', 'mariadb-admin --host localhost status', 'valkey-cli -n 2 -h -1 ping'],
    ...['redis-cli info', 'redis-cli info memory', 'keydb-cli GET key', 'redis-cli --tls cluster nodes'],
    ...['rabbitmq-diagnostics -q ping', 'rabbitmqctl -n rabbit status', 'rabbitmqctl check_running --silent'],
    ...['rabbitmqctl await_startup', 'kafka-topics --list', 'kafka-topics.sh --bootstrap-server x --describe'],
    ...['etcdctl --endpoints x endpoint health', 'etcdctl member list', 'nodetool -pw x statusgossip'],
    ...['celery -A app inspect ping', 'celery -b x status', 'systemctl is-active app', 'vault status'],
    ...['service nginx status', 'consul members', 'filebeat test output', 'airflow jobs check --limit 1'],
    ...['python3 /app/healthcheck.py', 'node -u -E /app/live.js', 'php ready.php'],
  ])('asks with %s', (command) => expect(line(command)).toBe(true));

  it.each([
    ...['curl -X POST localhost', 'curl -sXdelete localhost', 'curl -d a localhost', 'curl -so /tmp/x localhost'],
    ...['curl --output=/tmp/x localhost', 'curl localhost/restart', 'curl --url=localhost/restart', 'curl -K x'],
    ...['curl --unknown localhost', 'wget localhost', 'wget -q localhost', 'wget -qO /tmp/x localhost'],
    ...['wget --spider --method PUT localhost', 'wget --spider localhost/quit', 'nc -vl 80', 'ncat --exec x'],
    ...['find /tmp -name x -delete', 'find -execdir rm', 'sort -uo /x', 'uniq -c x', 'hostname x', 'date -s 1'],
    ...['kill 1', 'kill -9 1', 'kill -01', 'nginx', 'nginx -s -t', 'nginx -t -s', 'awk -f x', 'awk {system(x)}'],
    ...['sed -i s/a/b/ /x', 'sed 1w/x', 'mysqladmin', 'mysqladmin -u ping shutdown', 'mysqladmin ping shutdown'],
    ...['redis-cli', 'redis-cli set a b', 'redis-cli -h ping', 'redis-cli ping del', 'redis-cli --tls del ping'],
    ...['rabbitmqctl stop', 'rabbitmqctl pinging', 'kafka-topics --create', 'kafka-topics --describe --delete'],
    ...['kafka-topics --listing', 'etcdctl put a b', 'etcdctl member remove', 'nodetool drain', 'celery purge'],
    ...['systemctl restart app', 'service nginx restart', 'service a b status', 'consul leave', 'python3 /app/run.py'],
    ...['python3 -c health', 'python3 -u', 'python3', 'node -u /app/fix-health.js', 'php -r health'],
  ])('may act with %s', (command) => expect(line(command)).toBe(false));

  it.each(['rm -rf /', 'sh health.sh', 'java -version'])('is unknown in %s', (command) =>
    expect(line(command)).toBeUndefined(),
  );
});

describe('an SQL client', () => {
  it.each([
    [['-c', 'select 1']],
    [['-U', 'app', '-tAc', 'SELECT pg_is_in_recovery();']],
    [['-e', "SHOW STATUS LIKE 'x'", '-h', 'localhost']],
    [['-eselect version()']],
    [['--execute=select count(*) from t']],
    [['-c', 'select 1', '--command', 'show all']],
  ])('asks with %j', (words) => expect(asks('psql', ...words)).toBe(true));

  it.each([
    [[]],
    [['-U', 'app']],
    [['-c', 'insert into t values (1)']],
    [['-c', 'select 1 INTO t']],
    [['-c', 'select a from t for update']],
    [['-c', 'select pg_promote()']],
    [['-c', 'select 1; select 2']],
    [['-c', `select ${'x'.repeat(201)}`]],
    [['--command', 'CHECKPOINT', 'select 1']],
    [['-c', 'select 1', '-f', 'x.sql']],
    [['--file=x.sql', '-c', 'select 1']],
    [['host=a user=b', '-c', 'select 1']],
  ])('may act with %j', (words) => expect(asks('mysql', ...words)).toBe(false));
});

describe('the mongo shell', () => {
  it.each([
    [['--quiet', '--eval', "db.adminCommand('ping').ok"]],
    [['--eval=db.hello()']],
    [['--eval', 'rs.status().ok', '--eval=quit(1)']],
  ])('asks with %j', (words) => expect(asks('mongosh', ...words)).toBe(true));

  it.each([
    [[]],
    [['--quiet']],
    [['ping', '--eval']],
    [['--eval', 'db.x.drop()']],
    [['--eval=ping', '--eval', 'rs.stepDown()']],
    [['--eval', 'ping', '/x/job.js']],
    [['-f', 'x', '--eval', 'ping']],
    [['--file', 'x', '--eval', 'ping']],
  ])('may act with %j', (words) => expect(asks('mongo', ...words)).toBe(false));
});

describe('a target', () => {
  it.each([
    ...['-', 'NUL', '/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/console', '/dev/fd/3'],
    ...['/proc/1/fd/1', '/proc/self/fd/2', '/proc/$$/fd/1', '/dev/tcp/localhost/80', '/dev/udp/localhost/53'],
  ])('keeps nothing: %s', (target) => expect(keepsNothing(target)).toBe(true));

  it.each(['', '-x', '/tmp/null', '/dev/sda', '/dev/null/x', '/dev/tcp', '/x/dev/tcp/a/1', '/proc/1/mem', 'nul.txt'])(
    'keeps what is written: %j',
    (target) => expect(keepsNothing(target)).toBe(false),
  );
});

describe('a file', () => {
  it.each([
    ...['healthcheck', '/scripts/is-alive.sh', 'C:\\bin\\live.bat', 'checkReady.sh', 'ping_local.sh', 'my-status'],
    ...['/a/readiness', 'update/health', 'restarted-check', 'alive'],
  ])('checks by its name: %s', (path) => expect(isCheck(path)).toBe(true));

  it.each([
    ...['', '/health/', 'health check', 'deliver.sh', 'olive', 'already.sh', 'checkout.sh', 'checkpoint', 'shipping'],
    ...['mapping.py', 'run.sh', 'restart-if-unhealthy.sh', 'markReady.sh', 'fix_health', 'health.cleanup'],
  ])('is not known to check: %j', (path) => expect(isCheck(path)).toBe(false));
});

describe('a URL', () => {
  it.each([
    ['http://localhost:8080/actuator/restart', 'restart'],
    ['localhost/start', 'start'],
    ['/quitquitquit?ready=1', 'quitquitquit'],
    ['localhost/health/restart', 'restart'],
    ['localhost/update/x', 'update'],
    ['HTTPS://x/start/x', 'start'],
    ['localhost/health/flushCache#x', 'flushCache'],
  ])('names an action: %s', (url, action) => expect(actionOfUrl(url)).toBe(action));

  it.each([
    ...['', 'localhost', 'http://restart/x', 'localhost/health', 'localhost/update/health', 'localhost/health/start'],
    ...['localhost/x?restart', 'localhost/x#/restart', 'localhost/restarted', 'http://restart:80'],
  ])('asks: %j', (url) => expect(actionOfUrl(url)).toBeUndefined());
});
