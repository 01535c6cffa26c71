import { actingWordIn, actionIn, actionInCode } from './acting-programs.ts';
import { CURL_VALUED, optionsOf } from './command-options.ts';
import type { CommandOption } from './command-options.ts';

/**
 * Tells what a program does beside asking, by its options and words: `-X POST`. Undefined when it only asks. The
 * programs are those for which a name alone says nothing.
 */
type Rule = (words: readonly string[]) => string | undefined;

/** True for a target that keeps nothing: the terminal, the log of the container, a connection of bash. */
export function keepsNothing(target: string): boolean {
  return /^(?:-|nul|\/dev\/(?:null|stdout|stderr|tty|console|fd\/\d+)|\/proc\/(?:\d+|self|\$\$)\/fd\/\d+)$/i.test(
    target,
  );
}

const shown = ({ name = '', value }: CommandOption): string => `${name} ${value}`.trim();
const firstOf = (options: readonly CommandOption[], acts: (option: CommandOption) => boolean): string | undefined => {
  const found = options.find(acts);
  return found && shown(found);
};

const ASKING_METHOD = /^(?:GET|HEAD|OPTIONS)$/i;
const URL_PATH = /^(?:[a-z]+:\/\/)?[^/?#\s]*([^?#\s]*)/i;

/** A URL whose path names an action: `/actuator/restart`. */
function asksForAction({ name, value }: CommandOption): boolean {
  if (name !== undefined && name !== '--url') return false;
  const path = URL_PATH.exec(value)?.[1] ?? '';
  return path.split('/').some((segment) => segment !== '' && actionIn(segment) === segment);
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
    if (name === '-X' || name === '--request') return !ASKING_METHOD.test(value);
    if (CURL_DATA.test(name)) return !isGet || /^(?:-[FT]|--(?:form|upload))/.test(name);
    return (CURL_FILE.test(name) && !keepsNothing(value)) || CURL_OTHER.test(name) || asksForAction(option);
  });
};

const wget: Rule = (words) => {
  const options = optionsOf(
    words.map((word) => word.replace(/^-nv/, '-')),
    'OoaTtPiUYwQADIXlB',
  );
  const sent = firstOf(options, (option) => {
    const { name = '', value } = option;
    if (name === '--method') return !ASKING_METHOD.test(value);
    if (/^--(?:post|body)-(?:data|file)$/.test(name) || asksForAction(option)) return true;
    return /^(?:-[Ooa]|--(?:output-document|output-file|append-output))$/.test(name) && !keepsNothing(value);
  });
  const asks = options.some(({ name = '' }) => /^(?:--(?:spider|output-document|version|help)|-[OVh])$/.test(name));
  // Without -O, wget writes the answer to a file with the name of the URL.
  return sent ?? (asks ? undefined : 'without -O');
};

/** `kill -0` and `kill -l` send no signal. */
const kill: Rule = (words) => {
  const text = words.join(' ');
  return /^(?:-0|-[lL]|-(?:s|n|-signal)[ =]?0|--list)(?: |$)/.test(text) ? undefined : (words[0] ?? '');
};

const inPlace: Rule = (words) =>
  words.find((word) => /^(?:-[a-zA-Z]{0,8}i|--in-?place)/.test(word) && !/^-[ef]./.test(word));

const find: Rule = (words) => {
  const at = words.findIndex((word) => /^-(?:delete|fprint|fprintf|fprint0|fls)$/.test(word));
  return at < 0 ? undefined : words[at];
};

const tee: Rule = (words) => words.find((word) => !word.startsWith('-') && !keepsNothing(word));

const dd: Rule = (words) => words.find((word) => word.startsWith('of=') && !keepsNothing(word.slice(3)));

const tar: Rule = (words) => (/^-?[^xcruA]*t|^--list/.test(words[0] ?? '') ? undefined : (words[0] ?? ''));

const sort: Rule = (words) => words.find((word) => /^(?:-[a-zA-Z]*o|--output)/.test(word));

/** `nc` asks what it reads; it acts when it listens or starts a program. */
const netcat: Rule = (words) => words.find((word) => /^(?:-[a-zA-Z]*[lec]|--(?:listen|exec|sh-exec)$)/.test(word));

const SQL = new RegExp(
  String.raw`\b(?:insert|update|delete|drop|truncate|alter|create|replace|merge|grant|revoke|set|kill|flush|reset|` +
    String.raw`shutdown|vacuum|reindex|call|do|copy|load|change|start|stop|rename|optimize|lock|` +
    String.raw`pg_(?:terminate_backend|cancel_backend|promote|reload_conf|switch_wal|rotate_logfile))\b`,
  'i',
);
const sql: Rule = (words) => words.map((word) => SQL.exec(word)?.[0]).find((found) => found !== undefined);

const code: Rule = (words) => {
  const at = words.findIndex((word) => /^-(?:[a-zA-Z]{0,6}[ceEr]|-eval|-print|p)$/.test(word));
  const text = at < 0 ? undefined : words[at + 1];
  if (text !== undefined) return actionInCode(text) ?? inPlace(words);
  const operand = words.find((word) => !word.startsWith('-'));
  return inPlace(words) ?? (operand === undefined ? undefined : actionOfFile(operand)) ?? actionOfWords(words);
};

const awk: Rule = (words) =>
  words.find((word) => /\bprintf?\b[^;}\n]*>|\bsystem\s*\(|\|\s*"/.test(word)) ?? inPlace(words);

/** A client that acts, unless one of its words asks. */
function asksWith(pattern: RegExp): Rule {
  return (words) => {
    const plain = words.filter((word) => !word.startsWith('-'));
    const action = actionOfWords(words);
    return action ?? (plain.length === 0 || plain.some((word) => pattern.test(word)) ? undefined : (plain[0] ?? ''));
  };
}

const REDIS =
  /^(?:ping|info|get|mget|exists|role|dbsize|time|echo|nodes|slots|shards|memory|latency|lastsave|list|llen|lrange|hget|hgetall|hlen|ttl|type|keys|scan|command|hello|auth|select|strlen|scard|zcard|whoami|masters?|replicas|slaves|ckquorum|get-master-addr-by-name|slowlog|wait)$/i;
const KUBECTL =
  /^(?:get|describe|version|cluster-info|auth|logs|top|wait|explain|api-resources|api-versions|status|view|exec)$/;
const SERVICES = /^(?:status|is-active|is-failed|is-enabled|show|list-.*|check|summary|avail|pid|cat)$/;
const CONTAINERS = /^(?:ps|inspect|info|version|images|logs|stats|pods|exec)$/;

/** The programs that ask or act by their options. */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['curl', curl],
  ['wget', wget],
  ...['kill', 'pkill', 'killall'].map((name): [string, Rule] => [name, kill]),
  ...['sed', 'gsed', 'yq'].map((name): [string, Rule] => [name, inPlace]),
  ...['awk', 'gawk', 'mawk'].map((name): [string, Rule] => [name, awk]),
  ['find', find],
  ['tee', tee],
  ['dd', dd],
  ...['tar', 'bsdtar'].map((name): [string, Rule] => [name, tar]),
  ['sort', sort],
  ...['nc', 'ncat', 'netcat'].map((name): [string, Rule] => [name, netcat]),
  ...['psql', 'mysql', 'mariadb', 'sqlite3', 'clickhouse-client', 'cqlsh', 'sqlcmd', 'sqlplus', 'isql'].map(
    (name): [string, Rule] => [name, sql],
  ),
  ...['python', 'python2', 'python3', 'perl', 'ruby', 'node', 'php', 'lua', 'mongo', 'mongosh', 'deno', 'bun'].map(
    (name): [string, Rule] => [name, code],
  ),
  ...['redis-cli', 'valkey-cli', 'keydb-cli'].map((name): [string, Rule] => [name, asksWith(REDIS)]),
  ...['kubectl', 'oc', 'helm'].map((name): [string, Rule] => [name, asksWith(KUBECTL)]),
  ...['systemctl', 'service', 'supervisorctl', 'rc-service', 'sv', 'monit', 'initctl'].map((name): [string, Rule] => [
    name,
    asksWith(SERVICES),
  ]),
  ...['docker', 'podman', 'crictl', 'nerdctl'].map((name): [string, Rule] => [name, asksWith(CONTAINERS)]),
  ['nginx', (words) => words.find((word) => /^-s/.test(word)) ?? (words.length === 0 ? '' : undefined)],
  ...['cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh'].map((name): [string, Rule] => [
    name,
    (words) => textActs(words.join(' ')),
  ]),
]);

/** Returns the action that the name of a file has: `cleanup` in `/scripts/cleanup-all.sh`. */
export function actionOfFile(path: string): string | undefined {
  return actionIn(path.slice(path.lastIndexOf('/') + 1));
}

/** Returns the first word that names an action. Values behind `=`, paths and texts name none. */
export function actionOfWords(words: readonly string[]): string | undefined {
  return words.find(
    (word) => /^[A-Za-z-][\w:.-]*(?:=|$)/.test(word) && actionIn(word.split('=', 1)[0] ?? '') !== undefined,
  );
}

const HARMLESS_REDIRECTION =
  /\d?>>?\s*(?:&\s*(?:\d|-)|\/dev\/(?:null|stdout|stderr)|\/proc\/1\/fd\/\d|\$null|nul\b)|[=-]>/gi;

/** Tells what a text that nobody can parse may do: a redirection, or a word that acts. */
export function textActs(text: string): string | undefined {
  const rest = text.replace(HARMLESS_REDIRECTION, ' ');
  return rest.includes('>') ? '>' : actingWordIn(rest);
}
