import { actionInCode, actionInSql, actionOfFile, actionOfWords, isAction, textActs } from './acting-words.ts';
import { CURL_VALUED, optionsOf, type CommandOption } from './exec-invocation.ts';

/**
 * Tells what a program does beside asking, by its options and words: `-X POST`. Undefined when it only asks. The
 * programs are those for which a name alone says nothing. The reason is logged: it holds no value, URL or code.
 * @param isFed true when the program reads a file or the output of another command
 */
type Rule = (words: readonly string[], isFed: boolean) => string | undefined;

const NO_STORE = String.raw`(?:-|nul|\/dev\/(?:null|stdout|stderr|tty|console|fd\/\d+)|\/proc\/(?:\d+|self|\$\$)\/fd\/\d+)$`;
const KEEPS_NOTHING = new RegExp(`^${NO_STORE}`, 'i');

/** True for a target that keeps nothing: the terminal, the log of the container, a connection of bash. */
export function keepsNothing(target: string): boolean {
  return KEEPS_NOTHING.test(target);
}

/** Acts with a word that matches. The reason is `reason`, else a group of the pattern: a word may hold a value. */
const withWord =
  (pattern: RegExp, reason?: string): Rule =>
  (words) => {
    const found = words.map((word) => pattern.exec(word)).find((match) => match !== null);
    return found && (reason ?? found.slice(1).find(Boolean) ?? '');
  };

const either =
  (...rules: readonly Rule[]): Rule =>
  (words, isFed) => {
    for (const rule of rules) {
      const found = rule(words, isFed);
      if (found !== undefined) return found;
    }
    return undefined;
  };

const unless =
  (pattern: RegExp, count: number): Rule =>
  (words) =>
    pattern.test(words.slice(0, count).join(' ')) ? undefined : '';

const ASKING_METHOD = /^(?:GET|HEAD|OPTIONS)$/i;
/** A method with its option, and an option without its value. */
const shown = (name: string, value: string): string => (/^\$?[A-Za-z_]{1,20}$/.test(value) ? `${name} ${value}` : name);

const URL_PATH = /^(?:[a-z]+:\/\/)?[^/?#\s]*([^?#\s]*)/i;
const QUESTION = /^(?:\w*health\w*|ready|readiness|live|liveness|status|ping|startup|metrics)$/i;

/** Returns the segment of a URL's path that names an action: `/actuator/restart`. `/health/start` asks. */
function actionOfUrl({ name, value }: CommandOption): string | undefined {
  if (name !== undefined && name !== '--url') return undefined;
  const segments = (URL_PATH.exec(value)?.[1] ?? '').split('/').filter((segment) => segment !== '');
  if (QUESTION.test(segments.at(-1) ?? '')) return undefined;
  const isBelowHealth = segments.at(-1) === 'start' && segments.some((segment) => QUESTION.test(segment));
  return (isBelowHealth ? segments.slice(0, -1) : segments).find((segment) => isAction(segment));
}

/** The first option of an HTTP client that sends, or that saves into a file. */
function sentBy(options: readonly CommandOption[], sends: RegExp, saves: RegExp): string | undefined {
  for (const option of options) {
    const { name = '', value } = option;
    if (/^(?:-X|--request|--method)$/.test(name) && !ASKING_METHOD.test(value)) return shown(name, value);
    if (sends.test(name) || (saves.test(name) && !keepsNothing(value))) return name;
    const action = actionOfUrl(option);
    if (action !== undefined) return action;
  }
  return undefined;
}

const CURL_SENDS =
  /^(?:-[FTOQK]|--(?:form(?:-.*)?|upload-file|remote-name(?:-all)?|remote-header-name|quote|create-dirs|config|output-dir))$/;
const CURL_SAVES =
  /^(?:-[oDc]|--(?:output|dump-header|cookie-jar|trace|trace-ascii|stderr|hsts|alt-svc|etag-save|libcurl))$/;
const CURL_SENDS_DATA = new RegExp(String.raw`^(?:-d|--data(?:-.*)?|--json)$|${CURL_SENDS.source}`);

const curl: Rule = (words) => {
  const options = optionsOf(words, CURL_VALUED);
  // With -G, the data are part of the URL.
  const isGet = options.some(({ name }) => name === '-G' || name === '--get');
  return sentBy(options, isGet ? CURL_SENDS : CURL_SENDS_DATA, CURL_SAVES);
};

const WGET_SENDS = /^--(?:post|body)-(?:data|file)$/;
const WGET_SAVES = /^(?:-[Ooa]|--(?:output-document|output-file|append-output))$/;

const wget: Rule = (words) => {
  const letters = words.map((word) => word.replace(/^-nv/, '-'));
  const options = optionsOf(letters, 'OoaTtPiUYwQADIXlB');
  const asks = options.some(({ name = '' }) => /^(?:--(?:spider|output-document|version|help)|-[OVh])$/.test(name));
  // Without -O, wget writes the answer to a file with the name of the URL.
  return sentBy(options, WGET_SENDS, WGET_SAVES) ?? (asks ? undefined : 'without -O');
};

const SQL_TEXT = /^(?:-[ceQ]|--(?:command|execute|query|multiquery|init-command)=)([^]+)$/;
const SQL_NEXT = /^(?:-[a-zA-Z]{0,6}[ceQ]|--(?:command|execute|query|multiquery|init-command))$/;
const SQL_FILE = /^(?:-[a-zA-Z]{0,6}f|-f.*|-i|--(?:file|queries-file|init-file)(?:=.*)?|@.*)$/;

/** An SQL client asks when it gets SQL texts that only ask. What it reads from a file, nobody here knows. */
const sql: Rule = (words, isFed) => {
  if (words.some((word) => SQL_FILE.test(word))) return '-f';
  const texts: string[] = [];
  for (const [at, word] of words.entries()) {
    const given = SQL_TEXT.exec(word)?.[1];
    if (given !== undefined && !SQL_NEXT.test(word)) texts.push(given);
    else if (word.startsWith('-')) continue;
    // A text with blanks is SQL, too, or says where the server is: `host=a user=b`.
    else if (SQL_NEXT.test(words[at - 1] ?? '') || (/\s/.test(word) && !/^\s*\w+\s*=/.test(word))) texts.push(word);
  }
  if (texts.length === 0 && isFed) return 'with input';
  const found = texts.map(actionInSql).find((action) => action !== undefined);
  return found ?? actionOfWords(words.filter((word) => !word.startsWith('-')));
};

/** An interpreter acts by its code, in any word; by the name of its file; or by code that it reads from elsewhere. */
const code: Rule = (words, isFed) => {
  const texts = words.filter((word) => /[\s(;<>`]/.test(word));
  const found = texts.map(actionInCode).find((action) => action !== undefined);
  if (found !== undefined || texts.length > 0) return found;
  const operand = words.find((word) => !word.startsWith('-'));
  if (operand === undefined) return isFed ? 'with input' : undefined;
  return actionOfFile(operand) ?? actionOfWords(words);
};

/** Options whose value is the next word, and long options without a value. */
const VALUED = /^-(?:[aCDhHnoprstuU]|pw)$/;
const FLAG = /^--(?:no-.*|raw|csv|json|tls|insecure|quiet|silent|verbose|user|system|now|help|version)$/;

/** Acts unless its words ask. An unknown command is told only in front: it may be an option's value. */
function asksWith(pattern: RegExp, inputs?: RegExp): Rule {
  return (words, isFed) => {
    const input = words.find((word) => inputs?.test(word));
    const action = input ?? actionOfWords(words);
    if (action !== undefined) return action;
    const plain = words.filter((word, at) => {
      const before = words[at - 1] ?? '';
      if (word.startsWith('-') || VALUED.test(before)) return false;
      return !before.startsWith('--') || before.includes('=') || FLAG.test(before) || pattern.test(word);
    });
    const [first] = plain;
    if (first === undefined) return isFed && inputs !== undefined ? 'with input' : undefined;
    if (pattern.test(plain.join(' '))) return undefined;
    return first === words[0] && /^[\w.-]+$/.test(first) ? first : '';
  };
}

const REDIS =
  /^(?:ping|info|get|mget|exists|role|dbsize|time|echo|lastsave|llen|lrange|hget|hgetall|hlen|ttl|type|keys|scan|command|hello|auth|select|strlen|scard|zcard|wait|(?:acl|client|cluster|config|latency|memory|object|sentinel|slowlog) (?:get|info|list|nodes|slots|shards|myid|stats|usage|doctor|latest|whoami|masters?|replicas|slaves|ckquorum|get-master-addr-by-name|len))(?: |$)/i;
const KUBECTL =
  /^(?:get|describe|version|cluster-info|auth|logs|top|wait|explain|api-resources|api-versions|status|list|exec|(?:rollout|config) (?:status|view))(?: |$)/;
const SERVICES = /(?:^| )(?:status|is-active|is-failed|is-enabled|show|list-?\w*|check|summary|avail|pid|cat)(?: |$)/;
const CONTAINERS = /^(?:ps|inspect|info|version|images|logs|stats|pods|exec)(?: |$)/;
const NODETOOL =
  /^(?:status\w*|info|version|ring|describe\w*|gossipinfo|\w+stats|get\w+|list\w+|\w+histograms|failuredetector|help)(?: |$)/;
const RABBIT =
  /^(?:status|ping|version|report|environment|cluster_status|node_health_check|list_\w+|await_\w+|(?:check|is)_\w+|help)(?: |$)/;
const GIT = /^(?:status|log|diff|show|rev-parse|ls-\w+|describe|version)(?: |$)/;
const AWS = /^\S+ (?:ls(?: |$)|get-(?!object)|list-|describe-|head-)/;
const RCLONE = /^(?:ls\w*|about|size|version|check)(?: |$)/;
/** The commands `w` and `e` of sed write a file and run a command. */
const SED_WRITES = /(?:^(?:-[ne])?|[;{}!$/\n\d])[gpI\d]{0,5}\s{0,9}(?:[wW]\s+\S|e\s+\S|e$)/;
/** PowerShell and cmd: a cmdlet that writes or sends. */
const CMDLET =
  /\s-(Method)[\s:]['"]?(?!get|head)\w|\b(Out-File|Tee-Object)\b|-(Body|OutFile|InFile)\b|\b(New)-(?!Object|TimeSpan)\w/i;

const inPlace = withWord(/^(?!-[ef].)(?:-[Enrszuplaw\d]{0,8}i|--in-?place)/, '-i');

/** `nc` asks what it reads; it acts when it listens or starts a program. */
const netcat: Rule = (words) => {
  const found = words.map((word) => /^(?:-[a-zA-Z]*([lec])|--(?:listen|exec|sh-exec)$)/.exec(word)).find(Boolean);
  return found?.[1] === undefined ? found?.[0] : `-${found[1]}`;
};

/** The programs that ask or act by their options: each line has a rule and its programs. */
const TABLE: readonly (readonly [Rule, string])[] = [
  [curl, 'curl'],
  [wget, 'wget'],
  // HTTPie sends `name=value` and `name:=value`; `name==value` is part of the URL.
  [either(withWord(/^(POST|PUT|PATCH|DELETE)$/), withWord(/^\w[\w-]*(?:=[^=]|:=|@)/, 'with data')), 'http https xh'],
  // `kill -0` and `kill -l` send no signal.
  [unless(/^(?:-0|-[lL]|-(?:s|n|-signal)[ =]?0|--list)(?: |$)/, 2), 'kill pkill killall'],
  [either(inPlace, withWord(SED_WRITES, 'w')), 'sed gsed'],
  [inPlace, 'yq'],
  [either(withWord(/\b(print)f?\b[^;}\n]{0,200}>|\b(system)\s*\(|\|\s*"/), inPlace), 'awk gawk mawk'],
  [withWord(/^(-(?:delete|fprint|fprintf|fprint0|fls))$/), 'find'],
  [withWord(new RegExp(`^(?!-|${NO_STORE})`, 'i')), 'tee'],
  [withWord(new RegExp(`^(of)=(?!${NO_STORE})`, 'i')), 'dd'],
  [unless(/^-?[^xcruA]*t|^--list/, 1), 'tar bsdtar'],
  [withWord(/^(?:-[a-zA-Z]*o|--output)/, '-o'), 'sort'],
  [netcat, 'nc ncat netcat'],
  [sql, 'psql mysql mariadb sqlite3 clickhouse-client clickhouse cockroach cqlsh sqlcmd sqlplus isql'],
  [code, 'python python2 python3 node php lua mongo mongosh deno bun'],
  // Perl and Ruby also edit files, as sed does.
  [either(inPlace, code), 'perl ruby'],
  [asksWith(REDIS, /^(?:-x|-X|--(?:pipe|eval|rdb))$/), 'redis-cli valkey-cli keydb-cli'],
  [asksWith(KUBECTL), 'kubectl oc helm'],
  [asksWith(SERVICES), 'systemctl service supervisorctl rc-service sv monit initctl'],
  [asksWith(CONTAINERS), 'docker podman crictl nerdctl'],
  [asksWith(NODETOOL), 'nodetool'],
  [asksWith(RABBIT), 'rabbitmqctl'],
  [asksWith(GIT), 'git'],
  [asksWith(AWS), 'aws'],
  [asksWith(RCLONE), 'rclone'],
  [either(withWord(/^-s/, '-s'), (words) => (words.length === 0 ? '' : undefined)), 'nginx'],
  [
    (words) => textActs(words.join(' ')) ?? withWord(CMDLET)([words.join(' ')], false),
    'cmd cmd.exe powershell powershell.exe pwsh',
  ],
];

/** The rule of each program that has one. */
export const RULES: ReadonlyMap<string, Rule> = new Map(
  TABLE.flatMap(([rule, programs]) => programs.split(' ').map((program) => [program, rule] as const)),
);
