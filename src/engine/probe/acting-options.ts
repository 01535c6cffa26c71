import { actionInCode, actionInSql } from './acting-code.ts';
import { actingWordIn, actionIn, isAction } from './acting-programs.ts';
import { CURL_VALUED, optionsOf } from './command-options.ts';
import type { CommandOption } from './command-options.ts';

/**
 * Tells what a program does beside asking, by its options and words: `-X POST`. Undefined when it only asks. The
 * programs are those for which a name alone says nothing. The reason is logged: it holds no value, URL or code.
 *
 * @param isFed true when the program reads a file or the output of another command
 */
type Rule = (words: readonly string[], isFed: boolean) => string | undefined;

/** True for a target that keeps nothing: the terminal, the log of the container, a connection of bash. */
export function keepsNothing(target: string): boolean {
  return /^(?:-|nul|\/dev\/(?:null|stdout|stderr|tty|console|fd\/\d+)|\/proc\/(?:\d+|self|\$\$)\/fd\/\d+)$/i.test(
    target,
  );
}

const ASKING_METHOD = /^(?:GET|HEAD|OPTIONS)$/i;
/** A method with its option, and an option without its value. */
const shown = (name: string, value: string): string => (/^\$?[A-Za-z_]{1,20}$/.test(value) ? `${name} ${value}` : name);

/** Returns the first reason that an option gives. */
function firstOf(options: readonly CommandOption[], acts: (option: CommandOption) => string | undefined | false) {
  for (const option of options) {
    const found = acts(option);
    if (typeof found === 'string') return found;
  }
  return undefined;
}

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

const CURL_DATA = /^(?:-[dFT]|--(?:data(?:-.*)?|json|form(?:-.*)?|upload-file))$/;
const CURL_FILE =
  /^(?:-[oDc]|--(?:output|dump-header|cookie-jar|trace|trace-ascii|stderr|hsts|alt-svc|etag-save|libcurl))$/;
const CURL_OTHER = /^(?:-[OQK]|--(?:remote-name(?:-all)?|remote-header-name|quote|create-dirs|config|output-dir))$/;

const curl: Rule = (words) => {
  const options = optionsOf(words, CURL_VALUED);
  // With -G, the data are part of the URL.
  const isGet = options.some(({ name }) => name === '-G' || name === '--get');
  return firstOf(options, (option) => {
    const { name = '', value } = option;
    if (name === '-X' || name === '--request') return !ASKING_METHOD.test(value) && shown(name, value);
    if (CURL_DATA.test(name)) return (!isGet || /^(?:-[FT]|--(?:form|upload))/.test(name)) && name;
    return (CURL_FILE.test(name) && !keepsNothing(value)) || CURL_OTHER.test(name) ? name : actionOfUrl(option);
  });
};

const wget: Rule = (words) => {
  const options = optionsOf(
    words.map((word) => word.replace(/^-nv/, '-')),
    'OoaTtPiUYwQADIXlB',
  );
  const sent = firstOf(options, (option) => {
    const { name = '', value } = option;
    if (name === '--method') return !ASKING_METHOD.test(value) && shown(name, value);
    if (/^--(?:post|body)-(?:data|file)$/.test(name)) return name;
    if (/^(?:-[Ooa]|--(?:output-document|output-file|append-output))$/.test(name)) return !keepsNothing(value) && name;
    return actionOfUrl(option);
  });
  const asks = options.some(({ name = '' }) => /^(?:--(?:spider|output-document|version|help)|-[OVh])$/.test(name));
  // Without -O, wget writes the answer to a file with the name of the URL.
  return sent ?? (asks ? undefined : 'without -O');
};

/** HTTPie sends `name=value` and `name:=value`; `name==value` is part of the URL. */
const httpie: Rule = (words) =>
  words.find((word) => /^[A-Z]+$/.test(word) && isSendingMethod(word)) ??
  (words.some((word) => /^\w[\w-]*(?:=[^=]|:=|@)/.test(word)) ? 'with data' : undefined);
const isSendingMethod = (word: string): boolean => /^(?:POST|PUT|PATCH|DELETE)$/.test(word);

/** The reason is a word of the rule, because the word of the command may hold a value. */
const acts = (isFound: boolean, reason = ''): string | undefined => (isFound ? reason : undefined);

/** `kill -0` and `kill -l` send no signal. */
const kill: Rule = (words) =>
  acts(!/^(?:-0|-[lL]|-(?:s|n|-signal)[ =]?0|--list)(?: |$)/.test(words.slice(0, 2).join(' ')));

const inPlace: Rule = (words) =>
  acts(
    words.some((word) => /^(?:-[Enrszuplaw\d]{0,8}i|--in-?place)/.test(word) && !/^-[ef]./.test(word)),
    '-i',
  );

/** The commands `w` and `e` of sed write a file and run a command. */
const SED_WRITES = /(?:^(?:-[ne])?|[;{}!$/\n\d])[gpI\d]{0,5}\s{0,9}(?:[wW]\s+\S|e\s+\S|e$)/;
const sed: Rule = (words) =>
  inPlace(words, false) ??
  acts(
    words.some((word) => SED_WRITES.test(word)),
    'w',
  );

const find: Rule = (words) => words.find((word) => /^-(?:delete|fprint|fprintf|fprint0|fls)$/.test(word));

const tee: Rule = (words) => acts(words.some((word) => !word.startsWith('-') && !keepsNothing(word)));

const dd: Rule = (words) =>
  acts(
    words.some((word) => word.startsWith('of=') && !keepsNothing(word.slice(3))),
    'of',
  );

const tar: Rule = (words) => acts(!/^-?[^xcruA]*t|^--list/.test(words[0] ?? ''));

const sort: Rule = (words) =>
  acts(
    words.some((word) => /^(?:-[a-zA-Z]*o|--output)/.test(word)),
    '-o',
  );

/** `nc` asks what it reads; it acts when it listens or starts a program. */
const netcat: Rule = (words) => {
  const found = words.map((word) => /^(?:-[a-zA-Z]*([lec])|--(listen|exec|sh-exec)$)/.exec(word)).find(Boolean);
  return found?.[1] === undefined ? found?.[0] : `-${found[1]}`;
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
  if (operand === undefined) return acts(isFed, 'with input');
  return actionOfFile(operand) ?? actionOfWords(words);
};

/** Perl and Ruby also edit files, as sed does. */
const editor: Rule = (words, isFed) => inPlace(words, isFed) ?? code(words, isFed);

const awk: Rule = (words) => {
  const found = words.map((word) => /\b(print)f?\b[^;}\n]{0,200}>|\b(system)\s*\(|\|\s*"/.exec(word)).find(Boolean);
  return found ? (found[1] ?? found[2] ?? '') : inPlace(words, false);
};

/** PowerShell and cmd: a text that acts, or a cmdlet that writes or sends. */
const CMDLET =
  /\s-(Method)[\s:]['"]?(?!get|head)\w|\b(Out-File|Tee-Object)\b|-(Body|OutFile|InFile)\b|\b(New)-(?!Object|TimeSpan)\w/i;
const windows: Rule = (words) => {
  const text = words.join(' ');
  return textActs(text) ?? CMDLET.exec(text)?.slice(1).find(Boolean);
};

/** Options whose value is the next word, and long options without a value. */
const VALUED = /^-(?:[aCDhHnoprstuU]|pw)$/;
const FLAG = /^--(?:no-.*|raw|csv|json|tls|insecure|quiet|silent|verbose|user|system|now|help|version)$/;

/**
 * A client that acts, unless its words ask from the first on. A command that is not known to ask is not told unless
 * it stands in front, because it may be the value of an option.
 */
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
    if (plain.length === 0) return acts(isFed && inputs !== undefined, 'with input');
    return acts(
      !pattern.test(plain.join(' ')),
      plain[0] === words[0] && /^[\w.-]+$/.test(plain[0] ?? '') ? plain[0] : '',
    );
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

/** The programs of a rule. */
const like = (rule: Rule, ...names: readonly string[]): [string, Rule][] => names.map((name) => [name, rule]);

/** The programs that ask or act by their options. */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['curl', curl],
  ['wget', wget],
  ...like(httpie, 'http', 'https', 'xh'),
  ...like(kill, 'kill', 'pkill', 'killall'),
  ...like(sed, 'sed', 'gsed'),
  ['yq', inPlace],
  ...like(awk, 'awk', 'gawk', 'mawk'),
  ['find', find],
  ['tee', tee],
  ['dd', dd],
  ...like(tar, 'tar', 'bsdtar'),
  ['sort', sort],
  ...like(netcat, 'nc', 'ncat', 'netcat'),
  ...like(sql, 'psql', 'mysql', 'mariadb', 'sqlite3', 'clickhouse-client', 'clickhouse', 'cockroach', 'cqlsh'),
  ...like(sql, 'sqlcmd', 'sqlplus', 'isql'),
  ...like(code, 'python', 'python2', 'python3', 'node', 'php', 'lua', 'mongo', 'mongosh', 'deno', 'bun'),
  ...like(editor, 'perl', 'ruby'),
  ...like(asksWith(REDIS, /^(?:-x|-X|--(?:pipe|eval|rdb))$/), 'redis-cli', 'valkey-cli', 'keydb-cli'),
  ...like(asksWith(KUBECTL), 'kubectl', 'oc', 'helm'),
  ...like(asksWith(SERVICES), 'systemctl', 'service', 'supervisorctl', 'rc-service', 'sv', 'monit', 'initctl'),
  ...like(asksWith(CONTAINERS), 'docker', 'podman', 'crictl', 'nerdctl'),
  ...like(asksWith(NODETOOL), 'nodetool'),
  ...like(asksWith(RABBIT), 'rabbitmqctl'),
  ...like(asksWith(GIT), 'git'),
  ...like(asksWith(AWS), 'aws'),
  ...like(asksWith(RCLONE), 'rclone'),
  [
    'nginx',
    (words) =>
      acts(
        words.some((word) => /^-s/.test(word)),
        '-s',
      ) ?? acts(words.length === 0),
  ],
  ...like(windows, 'cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh'),
]);

/** Returns the action that the name of a file has: `cleanup` in `/scripts/cleanup-all.sh`. */
export function actionOfFile(path: string): string | undefined {
  return actionIn(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * Returns the first action that a word names. An option names one as a whole: `--delete`, not `--bootstrap-server`.
 * Values behind `=`, paths and texts name none.
 */
export function actionOfWords(words: readonly string[]): string | undefined {
  for (const word of words) {
    if (!/^[A-Za-z-][\w:.-]*(?:=|$)/.test(word)) continue;
    const name = word.split('=', 1)[0] ?? '';
    const action = name.startsWith('-') ? acts(isAction(name), name) : actionIn(name);
    if (action !== undefined) return action;
  }
  return undefined;
}

const HARMLESS_REDIRECTION =
  /\d?>>?\s*(?:&\s*(?:\d|-)|\/dev\/(?:null|stdout|stderr)|\/proc\/1\/fd\/\d|\$null|nul\b)|[=-]>/gi;

/** Tells what a text that nobody can parse may do: a redirection, or a word that acts. */
export function textActs(text: string): string | undefined {
  const rest = text.replace(HARMLESS_REDIRECTION, ' ');
  return rest.includes('>') ? '>' : actingWordIn(rest);
}
