import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandActs } from '../../../src/engine/probe/exec-effects.ts';

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
  'mongosh --quiet --eval="db.adminCommand(\'ping\')"',
  'nodetool -h localhost -pw p status | grep UN',
  'nodetool info',
  'rabbitmqctl -q status',
  "cqlsh -e 'describe keyspaces'",
  "cockroach sql --insecure -e 'SELECT 1'",
  'clickhouse client --query "SELECT 1"',
  "psql --set=ON_ERROR_STOP=1 -c 'select 1'",
  'psql "host=a user=b" -tAc "SELECT pg_is_in_recovery()" < /dev/null',
  'mysql -e"SHOW GLOBAL STATUS LIKE \'wsrep_ready\'"',
  'kafka-topics.sh --bootstrap-server host:9092 --list',
  'kafka-broker-api-versions.sh --bootstrap-server=localhost:9092',
  'etcdctl --write-out=table endpoint health',
  '/health --start-period=5s',
  'curl -f localhost/health/start',
  'curl -f localhost/update/health',
  'redis-cli --no-auth-warning -n 2 cluster info',
  'kubectl --token X get pods',
  'kubectl --namespace=app rollout status deployment/x',
  'http --timeout=5 :8080/health',
  'git -C /repo status',
  'aws --region eu-west-1 s3 ls',
  'iostat | sed s/w/x/',
  '"$KAFKA_HOME"/bin/kafka-topics.sh --list',
  'env "A=b c" pg_isready',
  'env -S "pg_isready -q"',
  'exit $(( $(cat /a) > $MOST ))',
  'python -Wignore -c "import sys; sys.exit(0)"',
  'P=5432; pg_isready -p $P',
  'python3 - <<EOF\nimport urllib.request\nurllib.request.urlopen("http://localhost/")\nEOF',
  'curl -s localhost | python3 -c "import json, sys; assert json.load(sys.stdin)"',
  'python -c "open(\'/tmp/x\').read()"',
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
  ['curl localhost | tee /tmp/out', 'tee'],
  ['curl -X POST localhost/x', 'curl -X POST'],
  ['curl -sXDELETE localhost/x', 'curl -X DELETE'],
  ['curl --request "$METHOD" localhost', 'curl --request $METHOD'],
  ['curl -d a=b localhost', 'curl -d'],
  ['curl --data-raw=x localhost', 'curl --data-raw'],
  ['curl -F f=@x localhost', 'curl -F'],
  ['curl -T file localhost', 'curl -T'],
  ['curl -fsSo /tmp/body localhost', 'curl -o'],
  ['curl -fO localhost/file', 'curl -O'],
  ['curl -f localhost:8080/actuator/restart', 'curl restart'],
  ['wget --post-data=x -qO- localhost', 'wget --post-data'],
  ['wget -qO /tmp/x localhost', 'wget -O'],
  ['wget -q localhost/health', 'wget without -O'],
  ['kill 1', 'kill'],
  ['kill -9 $(pidof app)', 'kill'],
  ['pkill java', 'pkill'],
  ['killall nginx', 'killall'],
  ['sed -i s/a/b/ /etc/x', 'sed -i'],
  ['perl -pi -e s/a/b/ x', 'perl -i'],
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
  ['echo flush_all | nc localhost 11211', 'echo flush_all'],
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
  ['awk \'{ print > "/tmp/x" }\' y', 'awk print'],
  ['kubectl delete pod x', 'kubectl delete'],
  ['kubectl run x', 'kubectl run'],
  ['kubectl exec app -- rm x', 'rm'],
  ['systemctl restart app', 'systemctl restart'],
  ['nginx -s reload', 'nginx -s'],
  ['supervisorctl start x', 'supervisorctl start'],
  ['consul leave', 'consul leave'],
  ['etcdctl put a b', 'etcdctl put'],
  ['mysqladmin flush-hosts', 'mysqladmin flush'],
  ['nodetool drain', 'nodetool drain'],
  ['/scripts/cleanup.sh', 'cleanup.sh'],
  ['bash /scripts/restart-app.sh', '/scripts/restart-app.sh'],
  ['. /scripts/delete_old.sh', '/scripts/delete_old.sh'],
  ['cat <<EOF | app\nrm x\nEOF', 'rm'],
  ['app <<< "flushall"', 'flushall'],
  ['mongosh --quiet --eval="db.sessions.deleteMany({})"', 'mongosh delete'],
  ["mongosh --eval 'rs.stepDown()'", 'mongosh stepDown'],
  ['nodetool clearsnapshot', 'nodetool clearsnapshot'],
  ['nodetool disablegossip', 'nodetool disablegossip'],
  ['nodetool rebuild', 'nodetool rebuild'],
  ['nodetool -h localhost snapshot', 'nodetool'],
  ['cockroach sql -e "DELETE FROM s"', 'cockroach DELETE'],
  ['mysql -e "PURGE BINARY LOGS BEFORE NOW()"', 'mysql PURGE'],
  ["psql -c 'CHECKPOINT'", 'psql'],
  ['mysql -e "SELECT 1 INTO OUTFILE \'/x\'"', 'mysql INTO'],
  ['psql -c "select pg_drop_replication_slot(\'s\')"', 'psql pg_drop'],
  ['psql -c "REFRESH MATERIALIZED VIEW v"', 'psql REFRESH'],
  ["psql -c 'select 1; NOTIFY x'", 'psql'],
  ['psql -f /x/jobs.sql', 'psql -f'],
  ['psql < /sql/jobs.sql', 'psql with input'],
  ['cat /sql/jobs.sql | psql -U app', 'psql with input'],
  ["clickhouse client -q 'DROP TABLE x'", 'clickhouse DROP'],
  ['RM="rm -rf"; $RM /data/tmp/*', 'rm'],
  ['$RUN /data', 'a program that a variable names'],
  ['"$@"', 'a program that a variable names'],
  ['A=rm; ls | xargs $A', 'rm'],
  ['python3 -c"import os; os.remove(1)"', 'python3 remove'],
  ["node -e \"fs.appendFileSync('x', '')\"", 'node append'],
  ["node -e \"fetch('http://x', { method: 'PUT' })\"", 'node method'],
  ["php -r 'file_put_contents(1, 2);'", 'php put'],
  ["python -c \"os.replace('a', 'b')\"", 'python replace'],
  ["python -c \"shutil.move('a', 'b')\"", 'python move'],
  ['python -c "requests.put(\'http://x\')"', 'python put'],
  ['python -c "open(p, \'w\')"', 'python open'],
  ['perl -e \'open(F,">/x")\'', 'perl open'],
  ['python3 - <<EOF\nopen("/x","w")\nEOF', 'open'],
  ['curl -s localhost/x | python3', 'python3 with input'],
  ['redis-cli DEL list', 'redis-cli DEL'],
  ['echo "DEL k" | redis-cli', 'redis-cli with input'],
  ['redis-cli --pipe', 'redis-cli --pipe'],
  ['redis-cli -a "$P" debug x', 'redis-cli'],
  ['vault operator step-down', 'vault step-down'],
  ['rabbitmqctl forget_cluster_node x', 'rabbitmqctl forget_cluster_node'],
  ['rabbitmqctl force_boot', 'rabbitmqctl force_boot'],
  ['env -S "rm -rf /x"', 'rm'],
  ['env -S "curl -X POST localhost" -f', 'curl -X POST'],
  ['env -S"rm x" y', 'rm'],
  ['echo $(( $(rm x) + 1 ))', 'rm'],
  ['$(cat /command)', 'a program that a variable names'],
  ['python3 -c "import os; os.system(\'date > /x\')"', 'python3 system'],
  ["sed -n '1,5w /x'", 'sed w'],
  ['mongodump', 'mongodump'],
  ['pg_dump -f /x', 'pg_dump'],
  ['git pull', 'git pull'],
  ['aws s3 sync a b', 'aws s3'],
  ['rclone sync a b', 'rclone sync'],
  ['iptables -F', 'iptables'],
  ['s6-svc -r /x', 's6-svc'],
  ['http POST :80/x', 'http POST'],
  ['http :80/x a=b', 'http with data'],
  ['kafka-topics.sh --delete --topic x', 'kafka-topics.sh --delete'],
  ['curl localhost/health/restart', 'curl restart'],
  ['dd if=/dev/zero of=/data/x', 'dd of'],
  ['tar xf a.tar', 'tar'],
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
  [['$(CLIENT)', 'ping'], 'a program that a variable names'],
  [['rm', '-rf', '/data'], 'rm'],
  [['/usr/bin/env', 'A=b', 'touch', '/tmp/x'], 'touch'],
  [['timeout', '5', 'curl', '-d', 'x', 'localhost'], 'curl -d'],
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
  [['powershell', '-Command', 'Invoke-WebRequest -Method Post x'], 'powershell Method'],
  [['powershell', '-Command', 'Get-Date | Out-File x'], 'powershell Out-File'],
  [['powershell', '-Command', 'New-Item x'], 'powershell New'],
  [['powershell', '-Command', '(New-Object Net.WebClient).DownloadString(1)'], undefined],
  [['sh', '-c', '"$@"', '--', 'rm', 'x'], 'a program that a variable names'],
  [['python3', '-cimport os; os.remove(1)'], 'python3 remove'],
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
      expect(time(32_000)).toBeLessThan(Math.max(short, 0.2) * 30);
    },
  );
});
