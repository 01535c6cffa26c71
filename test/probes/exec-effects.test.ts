import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandActs } from '../../src/probes/exec-effects.ts';

const sh = (script: string): string | undefined => commandActs(['sh', '-c', script]);

/** Scripts of public liveness and readiness probes that only ask. */
const ASKING = [
  'pg_isready -U app -d "$POSTGRES_DB" -h 127.0.0.1',
  'exec pg_isready -U "postgres" -h 127.0.0.1 -p 5432',
  'redis-cli ping | grep -q PONG',
  'redis-cli -h "$(hostname)" -a "$REDIS_PASSWORD" --no-auth-warning ping',
  'timeout -s 3 $1 redis-cli -h localhost -p $REDIS_PORT ping',
  'mysqladmin ping -uroot -p"$MYSQL_ROOT_PASSWORD"',
  'mysql -h 127.0.0.1 -e "SELECT 1"',
  'mongosh --quiet --eval "db.adminCommand(\'ping\').ok" | grep 1',
  'rabbitmq-diagnostics -q check_running && rabbitmq-diagnostics -q check_local_alarms',
  'curl -fsS http://localhost:8080/health',
  'curl -fsSo /dev/null -w "%{http_code}" http://localhost:8080/health | grep 200',
  'curl -X GET -H "Accept: text/plain" localhost/ready > /dev/null 2>&1',
  'curl -G -d q=1 localhost/search',
  'wget -qO- http://localhost:3000/ready',
  'wget --no-verbose --tries=1 --spider http://localhost/ || exit 1',
  'wget -q -O /dev/null localhost',
  'test -f /tmp/healthy && test $(( $(date +%s) - $(stat -c %Y /tmp/heartbeat) )) -lt 60',
  '[ "$(cat /tmp/status)" = "rm" ]',
  '[[ $a > b ]] && exit 1',
  'kill -0 $(cat /var/run/app.pid)',
  'kill -s 0 1',
  'pkill -0 nginx',
  'echo ruok | nc -w 2 localhost 2181 | grep imok',
  'printf "GET / HTTP/1.0\\r\\n\\r\\n" | nc localhost 80',
  'exec 3<>/dev/tcp/127.0.0.1/6379; echo PING >&3; head -1 <&3 | grep PONG',
  'true > /dev/tcp/127.0.0.1/5672',
  'echo ok >/proc/1/fd/1',
  'echo failed >&2; exit 1',
  'ps aux | grep "[r]m" > /dev/null',
  'sed -n 1p /etc/hostname | grep -e i',
  "awk '$1 > 5 { exit 1 }' /proc/loadavg",
  'find /tmp/alive -mmin -1 | grep .',
  'if [ -f /ready ]; then exit 0; else exit 1; fi',
  'for p in a b; do curl -f "localhost/$p" || exit 1; done',
  'bash /scripts/liveness.sh',
  '. /opt/env.sh && /health.sh 5',
  'python3 -c "import urllib.request; urllib.request.urlopen(\'http://localhost:8000/\')"',
  "node -e \"require('http').get('http://localhost', (r) => process.exit(r.statusCode === 200 ? 0 : 1))\"",
  'nginx -t',
  'systemctl is-active app',
  'kubectl get pods -n app',
  'etcdctl endpoint health',
  'consul members',
  'nodetool status | grep UN',
  'command -v rm',
  'trap "exit 1" TERM; sleep 1',
  'cat <<EOF | grep -q a\na\nEOF',
  'celery -A proj inspect ping -d "celery@$HOSTNAME"',
  'grep -q "rm -rf > x" /log',
];

/** Scripts with side effects, with what is named. */
const ACTING: readonly (readonly [string, string])[] = [
  ['rm -rf /data/*', 'rm'],
  ['/bin/rm -f /tmp/x', 'rm'],
  ['test -f /tmp/x || touch /tmp/x', 'touch'],
  ['date > /tmp/alive', '> /tmp/alive'],
  ['echo a>>"$LOG"', '>> $LOG'],
  ['a &> /tmp/log', '&> /tmp/log'],
  ['a >| f', '>| f'],
  ['a >& f', '>& f'],
  ['a 2> /tmp/errors', '> /tmp/errors'],
  ['curl localhost | tee /tmp/out', 'tee /tmp/out'],
  ['curl -X POST localhost/x', 'curl -X POST'],
  ['curl -sXDELETE localhost/x', 'curl -X DELETE'],
  ['curl --request "$METHOD" localhost', 'curl --request $METHOD'],
  ['curl -d a=b localhost', 'curl -d a=b'],
  ['curl --data-raw=x localhost', 'curl --data-raw x'],
  ['curl -F f=@x localhost', 'curl -F f=@x'],
  ['curl -T file localhost', 'curl -T file'],
  ['curl -fsSo /tmp/body localhost', 'curl -o /tmp/body'],
  ['curl -fO localhost/file', 'curl -O'],
  ['curl -f localhost:8080/actuator/restart', 'curl localhost:8080/actuator/restart'],
  ['wget --post-data=x -qO- localhost', 'wget --post-data x'],
  ['wget -qO /tmp/x localhost', 'wget -O /tmp/x'],
  ['wget -q localhost/health', 'wget without -O'],
  ['kill 1', 'kill 1'],
  ['kill -9 $(pidof app)', 'kill -9'],
  ['pkill java', 'pkill java'],
  ['killall nginx', 'killall nginx'],
  ['sed -i s/a/b/ /etc/x', 'sed -i'],
  ['perl -pi -e s/a/b/ x', 'perl -pi'],
  ['find /tmp -mmin +5 -delete', 'find -delete'],
  ['find /tmp -exec rm {} +', 'rm'],
  ['ls | xargs rm', 'rm'],
  ['ls | xargs -n1 sh -c "touch $0"', 'touch'],
  ['env A=b timeout 5 nice -n 3 rm x', 'rm'],
  ['sudo -u app rm x', 'rm'],
  ['exec rm x', 'rm'],
  ['A=b rm x', 'rm'],
  ['if ! curl -f localhost; then rm -rf /data; fi', 'rm'],
  ['while true; do { rm x; }; done', 'rm'],
  ['case $x in a) rm y;; esac', 'rm'],
  ['f() { rm x; }; f', 'rm'],
  ['(cd /x && rm y)', 'rm'],
  ['echo "$(rm x)"', 'rm'],
  ['echo `touch x`', 'touch'],
  ['echo ${A:-$(rm x)}', 'rm'],
  ['cat <(rm x)', 'rm'],
  ['sh -c "sh -c \'rm x\'"', 'rm'],
  ['eval "rm x"', 'rm'],
  ['trap "rm -f /tmp/lock" EXIT; true', 'rm'],
  ['su app -c "rm x"', 'rm'],
  ['echo "rm x" | sh', 'echo rm'],
  ['curl localhost/x.sh | sh', 'sh with a script from a pipe'],
  ['echo flush_all | nc localhost 11211', 'echo flush'],
  ['nc -l 80', 'nc -l'],
  ['redis-cli SET a b', 'redis-cli SET'],
  ['redis-cli -a "$P" FLUSHALL', 'redis-cli FLUSHALL'],
  ['redis-cli lpush a b', 'redis-cli lpush'],
  ['psql -c "insert into t values (1)"', 'psql insert'],
  ['psql -c "SELECT pg_promote()"', 'psql pg_promote'],
  ['mysql -e "DELETE FROM t"', 'mysql DELETE'],
  ['mongosh --eval "db.a.deleteMany({})"', 'mongosh delete'],
  ['python -c "import os; os.remove(\'x\')"', 'python remove'],
  ["python -c \"open('/tmp/x', 'w')\"", 'python open'],
  ["node -e \"require('fs').writeFileSync('x', '')\"", 'node write'],
  ['awk \'{ print > "/tmp/x" }\' y', 'awk { print > "/tmp/x" }'],
  ['kubectl delete pod x', 'kubectl delete'],
  ['kubectl run x', 'kubectl run'],
  ['kubectl exec app -- rm x', 'rm'],
  ['systemctl restart app', 'systemctl restart'],
  ['nginx -s reload', 'nginx -s'],
  ['supervisorctl start x', 'supervisorctl start'],
  ['consul leave', 'consul leave'],
  ['etcdctl put a b', 'etcdctl put'],
  ['mysqladmin flush-hosts', 'mysqladmin flush-hosts'],
  ['nodetool drain', 'nodetool drain'],
  ['/scripts/cleanup.sh', 'cleanup.sh'],
  ['bash /scripts/restart-app.sh', '/scripts/restart-app.sh'],
  ['. /scripts/delete_old.sh', '/scripts/delete_old.sh'],
  ['cat <<EOF | app\nrm x\nEOF', 'rm'],
  ['app <<< "flushall"', 'flushall'],
  ['dd if=/dev/zero of=/data/x', 'dd of=/data/x'],
  ['tar xf a.tar', 'tar xf'],
];

/** Commands without a shell. */
const DIRECT: readonly (readonly [readonly string[], string | undefined])[] = [
  [[], undefined],
  [[''], undefined],
  [['cat', '/tmp/healthy'], undefined],
  [['/bin/grpc_health_probe', '-addr=:5000'], undefined],
  [['test', '5', '-gt', '3'], undefined],
  [['/bin/sh', '-ec', 'pg_isready'], undefined],
  [['bash', '/opt/live.sh', '--restart-limit=3'], undefined],
  [['$(CLIENT)', 'ping'], undefined],
  [['rm', '-rf', '/data'], 'rm'],
  [['/usr/bin/env', 'A=b', 'touch', '/tmp/x'], 'touch'],
  [['timeout', '5', 'curl', '-d', 'x', 'localhost'], 'curl -d x'],
  [['xargs', '-a', '/list', '/bin/rm'], 'rm'],
  [['redis-cli', 'ping', '>', '/tmp/x'], '> /tmp/x'],
  [['redis-cli', 'ping', '>', '/dev/null'], undefined],
  [['sh -c "rm x"'], 'rm'],
  [['sh', 'rm -rf /x'], 'rm'],
  [['/opt/purge-cache'], 'purge-cache'],
  [['java', '-jar', '/opt/reset.jar'], undefined],
  [['php', 'artisan', 'migrate'], 'php migrate'],
  [['python', '/opt/delete_old.py'], 'python delete'],
  [['cmd', '/c', 'del x'], 'cmd del'],
  [['powershell', '-Command', 'Remove-Item x'], 'powershell Remove'],
  [['powershell', '-Command', 'Get-Item x > $null'], undefined],
];

/** Scripts that the reader cannot parse. */
const UNREADABLE: readonly (readonly [string, string | undefined])[] = [
  ["echo 'open", undefined],
  ["echo 'open 2>&1", undefined],
  ["echo 'open > x", '>'],
  ["'open; rm x", 'rm'],
  ['$(open; curl localhost', undefined],
];

describe('a command', () => {
  it.each(ASKING)('asks with %s', (script) => {
    expect(sh(script)).toBeUndefined();
  });

  it.each(ACTING)('acts with %s', (script, found) => {
    expect(sh(script)).toBe(found);
  });

  it.each(DIRECT)('without a shell: %j does %s', (command, found) => {
    expect(commandActs(command)).toBe(found);
  });

  it.each(UNREADABLE)('that nobody can parse: %s does %s', (script, found) => {
    expect(sh(script)).toBe(found);
  });

  const asking = fc
    .array(fc.constantFrom(...ASKING.filter((script) => !script.includes('<<'))), { minLength: 1, maxLength: 3 })
    .chain((scripts) => fc.constantFrom(' && ', ' || ', '; ', '\n', ' | ').map((between) => scripts.join(between)));

  it('acts as soon as a command that acts is added to commands that ask', () => {
    const acting = fc.constantFrom(
      ' > /tmp/x',
      ' >>x',
      '; rm -rf x',
      ' || kill 1',
      ' | tee /x',
      ' && (touch x)',
      ' $(rm x)',
    );
    fc.assert(
      fc.property(asking, acting, (script, addition) => {
        expect(sh(script + addition)).toBeDefined();
      }),
    );
  });

  it('acts with rm on a line of its own, whatever stands before', () => {
    const pieces = fc.constantFrom(
      ...['a', ' ', "'", '"', '`', '$', '$(', '${', '(', ')', '{', '}', '\\', '\n', ';', '|', '&', '<', '>', '#', '!'],
      ...['<<X', '<<<', '[[', ']]', 'case', 'in', 'for', 'do', 'if', 'then', 'fi', 'grep', 'echo', 'sh', '-c', 'A=b'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (before) => {
        expect(sh(`${before.join('')}\n;\nrm -rf x`)).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['$(', '`', '"', '-', 'sh -c ', 'xargs ', '; ', '<<X\n', 'a>', 'A', 'find -exec '])(
    'of %j many times is read in linear time',
    (unit) => {
      const time = (count: number): number => {
        const script = unit.repeat(count);
        const runs = Array.from({ length: 7 }, () => {
          const start = performance.now();
          sh(script);
          return performance.now() - start;
        });
        return Math.min(...runs);
      };
      const short = time(4000);
      expect(time(16_000)).toBeLessThan(Math.max(short, 0.2) * 10);
    },
  );
});
