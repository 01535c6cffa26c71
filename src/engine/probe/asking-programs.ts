import { CURL_VALUED, optionsOf, wordSet } from './exec-invocation.ts';

/** True when a program only asks, with these words behind it. */
type Rule = (words: readonly string[]) => boolean;

const without =
  (pattern: RegExp): Rule =>
  (words) =>
    !words.some((word) => pattern.test(word));

/** Asks with these words beside the options. Another option's value counts as a word, so the command is unknown. */
const asksFor =
  (question: RegExp, valued?: RegExp): Rule =>
  (words) =>
    question.test(words.filter((word, at) => !word.startsWith('-') && !valued?.test(words[at - 1] ?? '')).join(' '));

const TERMINALS = /^(?:-|nul|\/dev\/(?:null|stdout|stderr|tty|console|fd\/\d+)|\/proc\/(?:\d+|self|\$\$)\/fd\/\d+)$/i;

/** True for a target that keeps nothing: the terminal, the log of the container, a connection of bash. */
export const keepsNothing = (target: string): boolean => TERMINALS.test(target) || /^\/dev\/(?:tcp|udp)\//.test(target);

/** Verbs in the names of files and in the paths of URLs, lower case. */
const ACTION =
  /(?<![a-z])(?:re(?:start|set|load|move|new|pair|store|fresh|cover)|kill|stop|shutdown|quit\w*|exit|delete|drop|clean\w*|clear|purge|flush\w*|drain|fix|heal|set|write|update|mark|touch|un?register|promote|start)(?![a-z])/;
/** The names of checks: `*health*`, `*live*`, `*ready*`, `*check*`, `*ping*`, `*status*`. `deliver` is none. */
const CHECK = /health|(?<!de|o)live|(?<!al)ready|readiness|check(?!out|point)|(?<![aeil-pruy])ping|status/i;

const actionIn = (name: string): string | undefined =>
  ACTION.exec(name.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase())?.[0];

/** True for a file whose name says that it checks: `/scripts/healthcheck.sh`. */
export function isCheck(path: string): boolean {
  const name = /^(?:\S*[/\\])?([\w.-]+)$/.exec(path)?.[1] ?? '';
  return CHECK.test(name) && actionIn(name) === undefined;
}

/** Returns the segment of a URL or a path that names an action: `/actuator/restart`. `/health/start` asks. */
export function actionOfUrl(url: string): string | undefined {
  const path = /^(?:[a-z]+:\/\/)?[^/?#\s]*([^?#\s]*)/i.exec(url)?.[1] ?? '';
  const segments = path.split('/');
  if (CHECK.test(segments.at(-1) ?? '')) return undefined;
  const isBelowCheck = segments.at(-1) === 'start' && segments.some((segment) => CHECK.test(segment));
  return isBelowCheck ? undefined : segments.find((segment) => actionIn(segment) !== undefined);
}

const CURL =
  /^(?:-[fsSkLIivgGNq#0146HuUAemwbxrEyY]|--(?:fail\w*|fail-with-body|silent|show-error|insecure|location|head|include|verbose|globoff|get|header|user|user-agent|referer|max-time|connect-timeout|write-out|retry[a-z-]*|ca\w+|cert|cert-type|key|key-type|pass|compressed|(?:no)?proxy|resolve|connect-to|unix-socket|http[\d.]+|ipv[46]|tlsv1\S*|url|no-progress-meter|no-buffer|oauth2-bearer|basic|digest|max-redirs))$/;
const WGET =
  /^(?:-[qSvndTtYU46]|--(?:spider|quiet|verbose|no-verbose|timeout|tries|header|user|password|user-agent|server-response|proxy|no-(?:check-certificate|proxy|cache)|ca-certificate|certificate|private-key|inet[46]-only|max-redirect))$/;

/** An HTTP client asks with options that neither send nor save. Options in a file are unknown. */
const client =
  (harmless: RegExp, valued: string): Rule =>
  (words) =>
    optionsOf(words, valued).every(({ name, value }) => {
      if (name === undefined || name === '--url') return actionOfUrl(value) === undefined;
      if (/^(?:-X|--request|--method)$/.test(name)) return /^(?:GET|HEAD|OPTIONS)$/i.test(value);
      return /^(?:-[oO]|--output(?:-document)?)$/.test(name) ? keepsNothing(value) : harmless.test(name);
    });

const wget: Rule = (words) =>
  client(WGET, 'OoaTtPiUYwQADIXlB')(words) &&
  words.some((word) => /^(?:-\w*O|--(?:spider|output-document))/.test(word));

const SQL_QUESTION =
  /^(?:-[ceq]|--\w+=)?\s*(?:select|show)\s(?:[^;()\\]|\b(?:pg_is_in_recovery|now|version|count)\(\*?\)){1,200};?\s?$/i;
const SQL_OTHER = /\s|^-[tAqXwW1]*[foL]|^--(?:file|output|log|init|tee)/;
const SQL_OPTION = /^(?:-\w{0,6}[ceq]|--(?:command|execute|query))$/;

/** An SQL client asks when each of its texts is one SELECT or SHOW without unknown functions. */
const sql: Rule = (words) => {
  const isQuestion = (word: string): boolean => SQL_QUESTION.test(word) && !/\b(?:into|update)\b/i.test(word);
  const isKnown = (word: string, at: number): boolean =>
    isQuestion(word) || !(SQL_OTHER.test(word) || SQL_OPTION.test(words[at - 1] ?? ''));
  return words.some(isQuestion) && words.every(isKnown);
};

const MONGO_OTHER =
  /\b(?!(?:db|rs|adminCommand|runCommand|getSiblingDB|ping|hello|isMaster|status|serverStatus|stats|ok|print|quit|admin|test)\b)[A-Za-z_]\w*/;

/** The mongo shell asks with code that has only words of questions, such as `db.adminCommand('ping').ok`. */
const mongo: Rule = (words) => {
  const code = words.flatMap((word, at) => (words[at - 1] === '--eval' ? [word] : word.split(/^--eval=/).slice(1)));
  return (
    code.length > 0 && !code.some((text) => MONGO_OTHER.test(text)) && without(/\.(?:js|mongodb)$|^-f|^--file/)(words)
  );
};

/** The commands `w` and `e` of sed write a file and run a command. */
const SED_ACTS = /^-[nErsuz]*[if]|^--(?:in-place|file)|(?:^|[;{}!$/\n\dgpI])\s{0,9}(?:[wW]\s*\S|e(?:\s|;|$))/;
const AWK_ACTS = /system|\||getline|^-[if]|print[^;}\n]{0,200}>/;
const BROKER = /^(?:ping|status|cluster_status|node_health_check|version|(?:check|is|list|await)_\w+)(?: |$)/;

/** What only asks: each line has a rule and its programs. What is not listed may have side effects. */
const TABLE: readonly (readonly [Rule, string])[] = [
  [
    () => true,
    `: true false test [ [[ echo printf exit return cd sleep wait read expr let seq set unset export local declare typeset
    readonly shift umask ulimit for case in select break continue command type which hash cat zcat head tail wc tr cut
    grep egrep fgrep zgrep pgrep pidof ps ls df du stat cmp diff md5sum sha256sum jq id whoami uname basename dirname
    readlink realpath nproc printenv uptime free ss netstat lsof nslookup dig host getent ping findstr tasklist
    pg_isready grpc_health_probe grpc-health-probe kafka-broker-api-versions kafka-broker-api-versions.sh`,
  ],
  [client(CURL, CURL_VALUED), 'curl'],
  [wget, 'wget'],
  [without(/^-[a-zA-Z]*[lecUk]|^--(?:listen|exec|sh-exec|lua-exec)/), 'nc ncat netcat'],
  [without(/^-(?:exec\w*|ok\w*|delete|fprint\w*|fls)$/), 'find'],
  [without(SED_ACTS), 'sed'],
  [without(AWK_ACTS), 'awk gawk mawk'],
  [without(/^-[a-zA-Z]*o|^--output/), 'sort'],
  [without(/^[^-]/), 'uniq hostname'],
  [without(/^-[a-zA-Z]*s|^--set/), 'date'],
  [(words) => /^-(?:0|l|s ?0)(?: |$)/.test(words.join(' ')), 'kill pkill killall'],
  [(words) => words.join() === '-t', 'nginx'],
  [sql, 'psql mysql mariadb clickhouse-client cqlsh'],
  [mongo, 'mongosh mongo'],
  [
    asksFor(/^(?:ping|status|version)$/, /^(?:-[uhPS]|--(?:user|host|port|socket|password))$/),
    'mysqladmin mariadb-admin',
  ],
  [
    asksFor(
      /^(?:ping|info(?: \w+)?|role|dbsize|time|get \S+|exists \S+|cluster (?:info|nodes))$/i,
      /^(?:-[hpasun]|--(?:user|pass|sni|cacert|cacertdir|cert|key))$/,
    ),
    'redis-cli valkey-cli keydb-cli',
  ],
  [asksFor(BROKER, /^(?:-[ntp]|--(?:node|timeout|vhost))$/), 'rabbitmq-diagnostics rabbitmqctl'],
  [
    (words) => /--(?:list|describe)(?: |$)/.test(words.join(' ')) && without(/^--(?:create|delete|alter)/)(words),
    'kafka-topics kafka-topics.sh',
  ],
  [
    asksFor(
      /^(?:endpoint (?:health|status)|member list|cluster-health)(?: |$)/,
      /^--(?:endpoints|ca-?cert|cert|key|user)$/,
    ),
    'etcdctl',
  ],
  [asksFor(/^(?:status\w*|info|version|netstats)(?: |$)/, /^-(?:[hpu]|pw|pwf)$/), 'nodetool'],
  [asksFor(/^(?:inspect ping|status)$/, /^(?:-[Abdt]|--(?:app|broker|destination|timeout))$/), 'celery'],
  [asksFor(/^(?:status|is-active|is-failed|show|avail|pid)(?: |$)/), 'systemctl supervisorctl ipsec vault'],
  [asksFor(/^\S+ status$/), 'service rc-service'],
  [
    asksFor(/^(?:test (?:output|config)|members|healthcheck|jobs check)(?: |$)/),
    'filebeat metricbeat consul traefik airflow',
  ],
  // A program of these reads a script file; options such as -c and -m start other code.
  [
    (words) => isCheck(words.find((word) => !/^-[uBEsIO]+$/.test(word)) ?? ''),
    'python python2 python3 node ruby perl php lua',
  ],
];

/** The rule of each program that is known. */
export const ASKING: ReadonlyMap<string, Rule> = new Map(
  TABLE.flatMap(([rule, programs]) => [...wordSet(programs)].map((program) => [program, rule] as const)),
);
