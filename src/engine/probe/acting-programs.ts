/** Programs that write, delete, kill or send with any words behind them. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...['rm', 'rmdir', 'unlink', 'mv', 'cp', 'ln', 'touch', 'truncate', 'mkdir', 'mktemp', 'mkfifo', 'mknod', 'install'],
  ...['shred', 'chmod', 'chown', 'chgrp', 'chattr', 'setfacl', 'setfattr', 'fallocate', 'patch', 'split', 'csplit'],
  ...['rsync', 'scp', 'sftp', 'ftp', 'tftp', 'mount', 'umount', 'swapoff', 'swapon', 'gzip', 'gunzip', 'bzip2', 'xz'],
  ...['zip', 'unzip', 'cpio', 'mkfs', 'logrotate', 'crontab', 'at', 'batch', 'ed', 'ex', 'vi', 'vim'],
  ...['killall5', 'skill', 'reboot', 'shutdown', 'halt', 'poweroff', 'init', 'telinit', 'renice'],
  ...['useradd', 'userdel', 'usermod', 'adduser', 'deluser', 'passwd', 'chpasswd', 'modprobe', 'rmmod', 'insmod'],
  ...['apt', 'apt-get', 'yum', 'dnf', 'microdnf', 'apk', 'pip', 'pip3', 'rpm', 'dpkg'],
  ...['mail', 'mailx', 'sendmail', 'swaks', 'mosquitto_pub', 'kafka-console-producer', 'kafka-console-producer.sh'],
  ...['initdb', 'createdb', 'dropdb', 'createuser', 'dropuser', 'vacuumdb', 'reindexdb', 'clusterdb', 'pg_restore'],
  ...['pg_basebackup', 'pg_rewind', 'pg_resetwal', 'mysqld', 'mongorestore', 'mongoimport', 'mysqlimport'],
  ...['pg_dump', 'pg_dumpall', 'mysqldump', 'mongodump', 'iptables', 'ip6tables', 'nft', 'ipset', 's6-svc', 'svc'],
  // Windows.
  ...['del', 'erase', 'rd', 'ren', 'move', 'copy', 'xcopy', 'robocopy', 'taskkill'],
]);

/**
 * Words that name an action in the command line of a client, in the name of a script, and in the path of a URL: `consul
 * leave`, `/scripts/cleanup.sh`, `/actuator/restart`.
 */
const ACTIONS: ReadonlySet<string> = new Set([
  ...['add', 'alter', 'annotate', 'append', 'apply', 'assassinate', 'backup', 'bgrewriteaof', 'bgsave', 'bootstrap'],
  ...['clean', 'cleanup', 'clear', 'compact', 'copy', 'cordon', 'create', 'decommission', 'defrag', 'delete', 'demote'],
  ...['deploy', 'destroy', 'disable', 'drain', 'drop', 'edit', 'enable', 'erase', 'evict', 'expire', 'failover'],
  ...['flush', 'flushall', 'flushdb', 'grant', 'halt', 'initialise', 'initialize', 'initiate', 'insert', 'install'],
  ...['join', 'kill', 'leave', 'lock', 'migrate', 'move', 'patch', 'poweroff', 'promote', 'provision', 'prune'],
  ...['publish', 'purge', 'push', 'put', 'quitquitquit', 'reboot', 'reconfig', 'reconfigure', 'refresh', 'reindex'],
  ...[
    'reload',
    'remove',
    'removenode',
    'rename',
    'repair',
    'replace',
    'replicaof',
    'reset',
    'resetoffsets',
    'restart',
    'restore',
  ],
  ...['revoke', 'rollback', 'rotate', 'save', 'scale', 'seal', 'seed', 'send', 'set', 'shutdown', 'slaveof', 'start'],
  ...['stepdown', 'stop', 'switchover', 'taint', 'terminate', 'truncate', 'uncordon', 'uninstall', 'unlock', 'unseal'],
  ...['unset', 'update', 'upgrade', 'upload', 'upsert', 'vacuum', 'wipe', 'write'],
]);

/** Programs that only ask or compute, whatever words they get. */
const ASKING: ReadonlySet<string> = new Set([
  ...[
    'grep',
    'egrep',
    'fgrep',
    'zgrep',
    'pgrep',
    'pidof',
    'ps',
    'which',
    'type',
    'command',
    'hash',
    'stat',
    'ls',
    'df',
    'du',
  ],
  ...[
    'cat',
    'zcat',
    'head',
    'tail',
    'wc',
    'tr',
    'cut',
    'uniq',
    'jq',
    'cmp',
    'diff',
    'md5sum',
    'sha256sum',
    'od',
    'xxd',
  ],
  ...[
    'true',
    'false',
    ':',
    'test',
    '[',
    '[[',
    'echo',
    'printf',
    'exit',
    'return',
    'cd',
    'sleep',
    'wait',
    'read',
    'expr',
  ],
  ...['let', 'seq', 'set', 'unset', 'export', 'local', 'declare', 'typeset', 'readonly', 'shift', 'umask', 'ulimit'],
  ...['shopt', 'for', 'case', 'select', 'in', 'function', 'break', 'continue', 'id', 'whoami', 'uname', 'basename'],
  ...[
    'dirname',
    'readlink',
    'realpath',
    'free',
    'uptime',
    'ss',
    'netstat',
    'lsof',
    'nslookup',
    'dig',
    'host',
    'getent',
  ],
  ...['ping', 'pg_isready', 'hostname', 'nproc', 'printenv', 'findstr', 'tasklist'],
]);

/** True for a program that acts with any words. */
export const alwaysActs = (program: string): boolean => ALWAYS.has(program) || program.startsWith('mkfs.');

/** True for a program that only asks, with any words. */
export const onlyAsks = (program: string): boolean => ASKING.has(program);

/** Parts of a word are separated by signs, or by a capital letter: `flush-hosts`, `db:migrate`, `deleteMany`. */
export const partsOf = (word: string): readonly string[] => word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];

/** True for a word that is an action as a whole: `delete`, `step-down`, `stepDown`. */
export const isAction = (word: string): boolean => ACTIONS.has(word.replace(/[-_]/g, '').toLowerCase());

/** Returns the action that a word names, without the rest of the word: `flush` in `flush-hosts`. */
export function actionIn(word: string): string | undefined {
  return isAction(word) ? word : partsOf(word).find((part) => ACTIONS.has(part.toLowerCase()));
}

/** Returns the first program that acts, or the first action, among the words of a text that nobody can parse. */
export function actingWordIn(text: string): string | undefined {
  for (const [word] of text.matchAll(/[\w.-]+/g)) {
    const found = alwaysActs(word) ? word : actionIn(word);
    if (found !== undefined) return found;
  }
  return undefined;
}
