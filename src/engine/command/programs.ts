import { CURL, NETCAT, WGET, type ClientOptions } from './clients.ts';
import {
  AWK_ACTS,
  BROKER,
  SED_ACTS,
  asksFor,
  isCheck,
  keepsNothing,
  mongo,
  requests,
  sql,
  wget,
  unless,
  type Rule,
} from './questions.ts';
import { constantIf, filter, ignoresAnswer, inOutput, type AlwaysTrue, type Status } from './program-status.ts';
import { wordSet } from './words.ts';

/** What is known of a program. What is absent is not known. */
export interface Program {
  /** True when it only asks, with these words behind it. */
  readonly asks?: Rule;
  /** Why its status is always 0. `isFed`: it reads the output of another program. */
  readonly status?: Status;
  /** Starts a virtual machine or an interpreter, which takes about a second of a processor. */
  readonly isHeavy?: true;
  /** What does not fail a program whose answer is in its output alone: `nothing matches`. */
  readonly succeedsWhen?: string;
  /** Looks at files or processes of its own machine, or prints, and ends at once. */
  readonly looks?: true;
  /** Removes or writes the files among its words. */
  readonly changes?: 'removes' | 'writes';
  /** A command of the shell itself: alone, most of them are no program of an image. */
  readonly isBuiltin?: true;
  /** A program of an operating system. An image of the application alone has none. */
  readonly isTool?: true;
  /** Reads operators of a shell among its words, or joins its words to a line. */
  readonly readsOperators?: true;
  /** Has a language of its own in its words, whose signs may look like a shell's. */
  readonly readsCode?: true;
  readonly client?: ClientOptions;
}

const always: Rule = () => true;
const never = (): 'constant' => 'constant';
const tool = { asks: always, looks: true, isTool: true } as const;
const builtin = { asks: always, isBuiltin: true } as const;
const heavy = { isHeavy: true } as const;

/** One row for programs of which the same is known. Sources: POSIX, and the manual page or the help of each program. */
const TABLE: readonly (readonly [names: string, program: Program])[] = [
  ['echo pwd', { ...tool, ...builtin, status: never }],
  // A number that is none fails %d.
  [
    'printf',
    {
      ...tool,
      ...builtin,
      status: ([format = '%d']) => (/%[^%sb]/.test(format.replaceAll('%%', '')) ? undefined : 'constant'),
    },
  ],
  [': true', { ...builtin, isTool: true, status: never }],
  ['false', { ...tool, ...builtin }],
  ['test [', { ...tool, ...builtin, readsOperators: true }],
  ['[[', { ...builtin, looks: true }],
  ['exit return', { ...builtin, looks: true, status: (words) => (words[0] === '0' ? 'constant' : undefined) }],
  ['cd', { ...builtin, status: (words) => (words.join() === '/' ? 'constant' : undefined) }],
  // Without a process, there is nothing to wait for that fails.
  ['wait', { ...builtin, status: (words) => (words.length === 0 ? 'constant' : undefined) }],
  ['umask shift', { ...builtin, status: (words) => (/^(?:0\d{2,3}|0)$/.test(words.join()) ? 'constant' : undefined) }],
  [
    `read let set unset export local declare typeset readonly ulimit break continue type hash command
    getopts times jobs`,
    builtin,
  ],
  // What they run is not known.
  ['. source eval trap', { isBuiltin: true }],
  ['kill', { ...builtin, isTool: true, asks: (words) => /^-(?:0|l|s ?0)(?: |$)/.test(words.join(' ')) }],
  ['whoami', tool],
  ['id uname uptime free nproc who', { ...tool, status: constantIf(/^-/) }],
  ['df', { ...tool, status: constantIf(/^-\w+$/) }],
  ['ps', { ...tool, status: constantIf(/^-?[aefuxwjAlF]+$/) }],
  [
    'date',
    {
      asks: unless(/^-[a-zA-Z]*s|^--set/),
      isTool: true,
      looks: true,
      status: constantIf(/^(?:\+.*|-[uIR]|--(?:utc|iso-8601.*|rfc-.*))$/),
    },
  ],
  ['hostname', { asks: unless(/^[^-]/), isTool: true, looks: true, status: never }],
  [
    'sleep',
    {
      asks: always,
      isTool: true,
      status: (words) => (words.every((word) => /^[\d.]+[smhd]?$/.test(word)) ? 'constant' : undefined),
    },
  ],
  ['ls', { ...tool, status: (words) => (words.every((word) => /^(?:-\w+|\/)$/.test(word)) ? 'constant' : undefined) }],
  [
    'cat',
    {
      ...tool,
      // The standard input of a probe is empty, so a bare `cat` ends at once.
      status: (words, isFed) =>
        isFed ? filter()(words, isFed) : words.every((word) => word === '/dev/null') ? 'constant' : undefined,
    },
  ],
  ['head tail', { ...tool, status: filter('ncs') }],
  ['wc', { ...tool, status: filter() }],
  ['cut', { ...tool, status: filter('bcdf') }],
  ['tr', { ...tool, status: filter('', 2) }],
  // It fails when it cannot write its file.
  [
    'tee',
    {
      changes: 'writes',
      isTool: true,
      status: (words, isFed) =>
        filter()(
          words.filter((word) => !keepsNothing(word)),
          isFed,
        ),
    },
  ],
  ['uniq', { asks: unless(/^[^-]/), isTool: true, looks: true, status: filter('fsw') }],
  [
    'sort',
    {
      asks: unless(/^-[a-zA-Z]*o|^--(?:output|compress-program)/),
      isTool: true,
      status: filter('kStT', 0, /^-[a-zA-Z]*[cC]|^--check/),
    },
  ],
  [
    'sed',
    {
      asks: (words) => unless(SED_ACTS)(words.map((word) => word.replace(/^--expression=/, ''))),
      isTool: true,
      looks: true,
      readsCode: true,
      status: filter('ef', 1, /[qQ]\s*[1-9]/, /^(?:-[ef]|--(?:expression|file))$/),
    },
  ],
  [
    'awk gawk mawk',
    {
      asks: unless(AWK_ACTS),
      isTool: true,
      looks: true,
      readsCode: true,
      status: filter('Fvf', 1, /exit|getline|close|system/, /^-f$/),
    },
  ],
  [
    'jq',
    {
      asks: always,
      readsCode: true,
      succeedsWhen: 'nothing comes in',
      status: (words) =>
        words.some((word) => /^-[a-zA-Z]*e|^--exit-status|error|halt/.test(word)) ? undefined : 'output',
    },
  ],
  [
    `zcat pgrep pidof du stat cmp diff md5sum sha256sum basename dirname readlink realpath
    printenv seq which`,
    tool,
  ],
  ['grep egrep fgrep zgrep', { ...tool, readsCode: true }],
  ['expr', { ...tool, readsOperators: true }],
  [
    'find',
    {
      ...tool,
      ...inOutput('nothing matches', / -(?:[acm]?(?:min|time)|newer\w*|size|empty|i?name)(?: |$)(?!.*-(?:exec|quit))/),
      asks: unless(/^-(?:exec\w*|ok\w*|delete|fprint\w*|fls)$/),
      readsOperators: true,
    },
  ],
  ['ss', { asks: unless(/^-[a-zA-Z]*K|^--kill/), isTool: true, status: constantIf(/^-[a-zA-JL-Z]+$/) }],
  ['netstat', { asks: always, isTool: true, status: constantIf(/^-/) }],
  ['dig', { asks: always, isTool: true, ...inOutput('the name does not exist') }],
  ['lsof nslookup host getent ping', { asks: always, isTool: true }],
  ['findstr tasklist', { asks: always, looks: true }],
  ['pkill killall', { isTool: true, asks: (words) => /^-(?:0|l|s ?0)(?: |$)/.test(words.join(' ')) }],
  ['rm mv unlink rmdir', { changes: 'removes', isTool: true }],
  ['touch cp ln mkdir truncate dd', { changes: 'writes', isTool: true }],
  ['timeout env nice nohup telnet xargs busybox', { isTool: true }],
  ['cmd', { readsOperators: true }],
  ['pwsh powershell', { ...heavy, readsOperators: true }],
  [
    'curl',
    {
      client: CURL,
      asks: requests(CURL),
      isTool: true,
      status: (words) => (ignoresAnswer(words) ? 'answer' : undefined),
    },
  ],
  ['wget', { client: WGET, asks: wget, isTool: true }],
  [
    'nc ncat netcat',
    {
      client: NETCAT,
      asks: unless(/^-[a-zA-Z]*[lecUko]|^--(?:listen|exec|sh-exec|lua-exec|output|hex-dump)/),
      isTool: true,
    },
  ],
  ['pg_isready grpc_health_probe grpc-health-probe', { asks: always }],
  ['ldapsearch snmpget', { asks: always }],
  ['varnishadm', { asks: asksFor(/^(?:ping|status)$/, /^-[TSnt]$/) }],
  ['kcat kafkacat smbclient', { asks: (words) => words.some((word) => /^-\w*L/.test(word)) }],
  ['nginx', { asks: (words) => words.join() === '-t' }],
  ['psql mysql mariadb clickhouse-client', { asks: sql, readsCode: true }],
  ['cqlsh', { asks: sql, readsCode: true, ...heavy }],
  ['mongosh', { asks: mongo, readsCode: true, ...heavy }],
  ['mongo', { asks: mongo, readsCode: true }],
  [
    'mysqladmin mariadb-admin',
    { asks: asksFor(/^(?:ping|status|version)$/, /^(?:-[uhPS]|--(?:user|host|port|socket|password|protocol))$/) },
  ],
  [
    'redis-cli valkey-cli keydb-cli',
    {
      asks: asksFor(
        /^(?:ping|info(?: \w+)?|role|dbsize|time|get \S+|exists \S+|cluster (?:info|nodes))$/i,
        /^(?:-[hpasun]|--(?:user|pass|sni|cacert|cacertdir|cert|key))$/,
      ),
      // Without `-e`, an answer that is an error ends with status 0 (redis-cli --help).
      status: (words) =>
        words.length > 0 && !words.some((word) => /^(?:-e$|[|&;<>])/.test(word)) ? 'ping' : undefined,
    },
  ],
  ['rabbitmq-diagnostics rabbitmqctl', { asks: asksFor(BROKER, /^(?:-[ntp]|--(?:node|timeout|vhost))$/), ...heavy }],
  ['kafka-broker-api-versions', { asks: always, ...heavy }],
  [
    'kafka-topics',
    {
      asks: (words) =>
        /--(?:list|describe)(?: |$)/.test(words.join(' ')) && unless(/^--(?:create|delete|alter)/)(words),
      ...heavy,
    },
  ],
  ['kafka-*', heavy],
  [
    'etcdctl',
    {
      asks: asksFor(
        /^(?:endpoint (?:health|status)|member list|cluster-health)(?: |$)/,
        /^--(?:endpoints|ca-?cert|cert|key|user)$/,
      ),
    },
  ],
  [
    'nodetool',
    {
      ...inOutput('a node, or what it serves, is down', /^status/),
      asks: asksFor(/^(?:status\w*|info|version|netstats)(?: |$)/, /^-(?:[hpu]|pw|pwf)$/),
      ...heavy,
    },
  ],
  [
    'celery',
    { asks: asksFor(/^(?:inspect ping|status)$/, /^(?:-[Abdt]|--(?:app|broker|destination|timeout))$/), ...heavy },
  ],
  ['systemctl ipsec vault', { asks: asksFor(/^(?:status|is-active|is-failed|show|avail|pid)(?: |$)/) }],
  [
    'supervisorctl',
    { asks: asksFor(/^(?:status|avail|pid)(?: |$)/, /^(?:-[csup]|--(?:configuration|serverurl))$/), ...heavy },
  ],
  ['service rc-service', { asks: asksFor(/^\S+ status$/) }],
  [
    'filebeat metricbeat consul traefik',
    { asks: asksFor(/^(?:test (?:output|config)|members|healthcheck|jobs check)(?: |$)/) },
  ],
  // These read a script file; options such as -c and -m start other code.
  ['python ruby node nodejs php', { asks: readsCheck, readsCode: true, ...heavy }],
  ['perl lua', { asks: readsCheck, readsCode: true }],
  ['airflow', { asks: asksFor(/^jobs check(?: |$)/), ...heavy }],
  [
    `java bundle rails rake npx npm yarn pnpm gunicorn flask poetry erl elixir emqx ejabberdctl rabbitmq-queues pumactl solr
    cypher-shell hdfs hbase jcmd jps pulsar-admin zkServer.sh zkCli.sh dotnet aws gcloud`,
    heavy,
  ],
];

/** Programs of which every command only asks and may fail: a native policy copies no other. */
export const PROGRAMS_THAT_ASK: readonly string[] = TABLE.filter(
  ([, { asks, status, looks, isTool, isBuiltin }]) => asks === always && !status && !looks && !isTool && !isBuiltin,
).flatMap(([names]) => [...wordSet(names)]);

function readsCheck(words: readonly string[]): boolean {
  return isCheck(words.find((word) => !/^-[uBEsIO]+$/.test(word)) ?? '');
}

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  TABLE.flatMap(([names, program]) => [...wordSet(names)].map((name) => [name, program] as const)),
);

/** True for the name of a program that is known, as it is written here. */
export const isListedProgram = (name: string): boolean => PROGRAMS.has(name);

/** Interpreters, with or without their version: `python3.11`. */
const WITH_VERSION = /^(python|ruby|node|nodejs|php|perl|lua)[\d.]{1,8}$/;

/** Returns what is known of a program, by its name without folders. Undefined for an unknown one. */
export function knownProgram(name: string): Program | undefined {
  const known = PROGRAMS.get(name);
  if (known !== undefined) return known;
  // Windows ignores the case. The tools of Kafka have names with and without `.sh`.
  const plain = name
    .replace(/\.exe$/i, '')
    .toLowerCase()
    .replace(/^(kafka-[a-z-]{1,60})\.sh$/, '$1');
  const base = WITH_VERSION.exec(plain)?.[1] ?? plain;
  return PROGRAMS.get(base) ?? (/^kafka-[a-z-]{1,60}$/.test(plain) ? PROGRAMS.get('kafka-*') : undefined);
}

/** Why a program never fails, with these words behind it. Undefined when it may fail, and when nobody knows. */
export function statusOf(program: string, operands: readonly string[], isFed: boolean): AlwaysTrue | undefined {
  const reason = knownProgram(program)?.status?.(operands, isFed);
  return reason && { reason, program: /^(?:exit|return)$/.test(program) ? `${program} 0` : program };
}
