import { actionIn, alwaysActs, isAction, partsOf } from './acting-programs.ts';

/** Actions whose names have a harmless meaning in code: `list.append`, `new Set`, `start = time()`. */
const PLAIN_IN_CODE: ReadonlySet<string> = new Set([
  ...['add', 'append', 'apply', 'at', 'batch', 'clear', 'copy', 'create', 'edit', 'enable', 'expire', 'init', 'join'],
  ...['install', 'lock', 'move', 'patch', 'push', 'put', 'refresh', 'replace', 'save', 'scale', 'seed', 'send', 'set'],
  ...['split', 'start', 'unlock'],
]);
/** Names of functions that write, delete, kill or send in Python, JavaScript, Perl, Ruby and PHP. */
const CODE_ACTIONS: ReadonlySet<string> = new Set([
  ...['mkdir', 'post', 'rm', 'rmtree', 'touch', 'unlink', 'rmdir', 'symlink', 'fwrite', 'fputs'],
]);
/** Calls that write or send: `open(path, "w")`, `os.replace(`, `requests.put(`, `method: 'PUT'`. */
const CALLS: readonly (readonly [string, RegExp])[] = [
  ['open', /\bf?open\([^;\n]{0,200}?,\s{0,9}(?:mode\s?=\s?)?['"][rb]{0,2}[wax+]/],
  ['open', /\bopen\b[^;\n]{0,200}?['"]\s?\+?>/],
  ['system', /\b(?:system|popen|exec\w{0,9})\(['"][^'"\n]{0,200}>/i],
  ['append', /append_?file/i],
  ['put', /\bfile_put|\b(?:put|patch)\(/i],
  ['method', /\bmethod\W{1,5}(?!get|head|options)[a-z]|['"](?:PUT|PATCH|DELETE)['"]/i],
  ['data', /,\s{0,9}data\s?=|\burlopen\([^;\n]{0,200}?,\s{0,9}b['"]/],
  ['set', /\.set\(['"]/],
  ['stepDown', /step_?down/i],
];
/** Functions of files, processes and the mongo shell: there, `replace` and `move` are no methods of a text. */
const OF_FILES = /\b(?:os|shutil|fs|fsp|promises|File|FileUtils|db|rs)(?:\.|::)(\w{1,40})/g;
const TO_OUTPUT = /(?:stdout|stderr)(?:\.buffer)?\.(?:write|flush)\b/g;

/**
 * Returns what writes, deletes, kills or sends in code of another language than a shell's: a name of a function. The
 * name comes from the lists above, so that no text of the code is told.
 */
export function actionInCode(code: string): string | undefined {
  const call = CALLS.find(([, pattern]) => pattern.test(code));
  if (call !== undefined) return call[0];
  for (const [, name = ''] of code.matchAll(OF_FILES)) {
    const found = actionIn(name) ?? /^(?:copy|move|symlink|link)/.exec(name)?.[0];
    if (found !== undefined) return found;
  }
  for (const [name] of code.replace(TO_OUTPUT, '').matchAll(/\w+/g)) {
    if (isAction(name) && !PLAIN_IN_CODE.has(name.toLowerCase())) return name;
    for (const part of partsOf(name)) {
      const word = part.toLowerCase();
      if (CODE_ACTIONS.has(word) || ((isAction(word) || alwaysActs(word)) && !PLAIN_IN_CODE.has(word))) return part;
    }
  }
  return undefined;
}

const SQL_ACTION = new RegExp(
  String.raw`\b(?:(?:insert|update|delete|drop|truncate|alter|create|replace|merge|grant|revoke|set|kill|flush|reset|` +
    String.raw`shutdown|vacuum|reindex|call|do|copy|load|change|start|stop|rename|optimize|lock|into|purge|refresh)\b|` +
    String.raw`pg_(?:terminate|cancel|promote|reload|switch|rotate|drop|create|copy|start|stop|backup|replication_|` +
    String.raw`logical|log_|advisory|try_|wal_replay_)|nextval|setval|lo_(?:import|export|unlink|put)|dblink|xp_)`,
  'i',
);
const SQL_QUESTION =
  /^\s*(?:$|(?:select|show|describe|desc|explain|with|values|use|pragma|exists|check|status|exit|quit)\b|\\(?:l|d|conninfo|q|s|g)|\()/i;

/** Returns the verb or the function of an SQL text that acts. Empty for a statement that nobody here knows. */
export function actionInSql(text: string): string | undefined {
  const found = SQL_ACTION.exec(text)?.[0];
  return found ?? (text.split(';').every((statement) => SQL_QUESTION.test(statement)) ? undefined : '');
}
