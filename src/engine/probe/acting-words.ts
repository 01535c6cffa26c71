/** The words of a text, as a set. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Programs that write, delete, kill or send with any words behind them. The last nine are those of Windows. */
const ALWAYS = wordSet(`
  rm rmdir unlink mv cp ln touch truncate mkdir mktemp mkfifo mknod install shred chmod chown chgrp chattr setfacl
  setfattr fallocate patch split csplit rsync scp sftp ftp tftp mount umount swapoff swapon gzip gunzip bzip2 xz zip
  unzip cpio mkfs logrotate crontab at batch ed ex vi vim killall5 skill reboot shutdown halt poweroff init telinit
  renice useradd userdel usermod adduser deluser passwd chpasswd modprobe rmmod insmod apt apt-get yum dnf microdnf
  apk pip pip3 rpm dpkg mail mailx sendmail swaks mosquitto_pub kafka-console-producer kafka-console-producer.sh
  initdb createdb dropdb createuser dropuser vacuumdb reindexdb clusterdb pg_restore pg_basebackup pg_rewind
  pg_resetwal mysqld mongorestore mongoimport mysqlimport pg_dump pg_dumpall mysqldump mongodump iptables ip6tables
  nft ipset s6-svc svc del erase rd ren move copy xcopy robocopy taskkill
`);

/** Words that name an action in a command, a script or a URL: `consul leave`, `cleanup.sh`, `/actuator/restart`. */
const ACTIONS = wordSet(`
  add alter annotate append apply assassinate backup bgrewriteaof bgsave bootstrap clean cleanup clear compact copy
  cordon create decommission defrag delete demote deploy destroy disable drain drop edit enable erase evict expire
  failover flush flushall flushdb grant halt initialise initialize initiate insert install join kill leave lock
  migrate move patch poweroff promote provision prune publish purge push put quitquitquit reboot reconfig reconfigure
  refresh reindex reload remove removenode rename repair replace replicaof reset resetoffsets restart restore revoke
  rollback rotate save scale seal seed send set shutdown slaveof start stepdown stop switchover taint terminate
  truncate uncordon uninstall unlock unseal unset update upgrade upload upsert vacuum wipe write
`);

/** Programs that only ask or compute, whatever words they get. */
const ASKING = wordSet(`
  grep egrep fgrep zgrep pgrep pidof ps which type command hash stat ls df du cat zcat head tail wc tr cut uniq jq cmp
  diff md5sum sha256sum od xxd true false : test [ [[ echo printf exit return cd sleep wait read expr let seq set
  unset export local declare typeset readonly shift umask ulimit shopt for case select in function break continue id
  whoami uname basename dirname readlink realpath free uptime ss netstat lsof nslookup dig host getent ping pg_isready
  hostname nproc printenv findstr tasklist
`);

/** True for a program that acts with any words. */
export const alwaysActs = (program: string): boolean => ALWAYS.has(program) || program.startsWith('mkfs.');

/** True for a program that only asks, with any words. */
export const onlyAsks = (program: string): boolean => ASKING.has(program);

/** Parts of a word are separated by signs, or by a capital letter: `flush-hosts`, `db:migrate`, `deleteMany`. */
const partsOf = (word: string): readonly string[] => word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];

/** True for a word that is an action as a whole: `delete`, `step-down`, `stepDown`. */
export const isAction = (word: string): boolean => ACTIONS.has(word.replace(/[-_]/g, '').toLowerCase());

/** Returns the action that a word names, without the rest of the word: `flush` in `flush-hosts`. */
function actionIn(word: string): string | undefined {
  return isAction(word) ? word : partsOf(word).find((part) => ACTIONS.has(part.toLowerCase()));
}

/** Returns the action that the name of a file has: `cleanup` in `/scripts/cleanup-all.sh`. */
export function actionOfFile(path: string): string | undefined {
  return actionIn(path.slice(path.lastIndexOf('/') + 1));
}

/** The first word that names an action; an option does as a whole: `--delete`, not `--bootstrap-server`. */
export function actionOfWords(words: readonly string[]): string | undefined {
  for (const word of words) {
    const name = /^([A-Za-z-][\w:.-]*)(?:=|$)/.exec(word)?.[1] ?? '';
    const action = name.startsWith('-') ? isAction(name) && name : actionIn(name);
    if (action) return action;
  }
  return undefined;
}

/** Returns the first program that acts, or the first action, among the words of a text that nobody can parse. */
export function actingWordIn(text: string): string | undefined {
  for (const [word] of text.matchAll(/[\w.-]+/g)) {
    const found = alwaysActs(word) ? word : actionIn(word);
    if (found !== undefined) return found;
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

/** Actions whose names have a harmless meaning in code: `list.append`, `new Set`, `start = time()`. */
const PLAIN_IN_CODE = wordSet(`
  add append apply at batch clear copy create edit enable expire init join install lock move patch push put refresh
  replace save scale seed send set split start unlock
`);
/** Names of functions that write, delete, kill or send in Python, JavaScript, Perl, Ruby and PHP. */
const CODE_ACTIONS = wordSet('mkdir post rm rmtree touch unlink rmdir symlink fwrite fputs');
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

/** The function in code that writes, deletes, kills or sends: a name of the lists above, and no text of the code. */
export function actionInCode(code: string): string | undefined {
  const call = CALLS.find(([, pattern]) => pattern.test(code));
  if (call !== undefined) return call[0];
  for (const [, name = ''] of code.matchAll(OF_FILES)) {
    const found = actionIn(name) ?? /^(?:copy|move|symlink|link)/.exec(name)?.[0];
    if (found !== undefined) return found;
  }
  for (const [name] of code.replace(TO_OUTPUT, '').matchAll(/\w+/g)) {
    const found = isAction(name) && !PLAIN_IN_CODE.has(name.toLowerCase()) ? name : partsOf(name).find(actsInCode);
    if (found !== undefined) return found;
  }
  return undefined;
}

function actsInCode(part: string): boolean {
  const word = part.toLowerCase();
  return CODE_ACTIONS.has(word) || ((isAction(word) || alwaysActs(word)) && !PLAIN_IN_CODE.has(word));
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
