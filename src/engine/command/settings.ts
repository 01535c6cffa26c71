import type { CommandLine, CommandWord } from '../workload/command-reader.ts';
import type { VariableSource } from '../workload/variables.ts';

/** A flag or a variable of a container, or another word of its command line, with its value. */
export interface ContainerSetting {
  readonly from: 'flag' | 'variable' | 'word';
  /** Without the dashes of a flag. Empty for a word that is no assignment. */
  readonly name: string;
  /** A flag with its dashes, and a variable as an assignment, for people. */
  readonly written: string;
  /** Undefined for a value that the kubelet reads elsewhere. Empty for a flag without one. */
  readonly value: string | undefined;
  /** The word of the command line with the value. Undefined for a variable. */
  readonly word: Omit<CommandWord, 'text'> | undefined;
  /** It stands inside a word with spaces, such as a script that no known shell gets. */
  readonly isInner: boolean;
}

const FLAG = /^(--?([A-Za-z][\w.-]*))(?:=(.*))?$/s;
const ASSIGNMENT = /^([A-Za-z_][\w.-]*)=(.*)$/s;

interface SaidByContainer {
  readonly line: CommandLine;
  readonly env: () => ReadonlyMap<string, VariableSource> | undefined;
}

/**
 * What a container's command line and `env` say: flags as `--flag=value` and as two words, other words, and variables.
 * Ask `container.settings`, which reads them once.
 */
export function readSettings({ line: { words }, env }: SaidByContainer): readonly ContainerSetting[] {
  const settings: ContainerSetting[] = [];
  addWords(settings, words, false);
  const inner = words.filter(({ text }) => /[\s"']/.test(text));
  if (inner.length > 0) addWords(settings, inner.flatMap(partsOf), true);
  env()?.forEach((source, name) => {
    const value = source.from === 'value' ? source.value : undefined;
    settings.push({
      from: 'variable',
      name,
      written: `${name}=${value ?? ''}`,
      value,
      word: undefined,
      isInner: false,
    });
  });
  return settings;
}

const partsOf = (word: CommandWord): CommandWord[] => word.text.split(/[\s"']+/).map((text) => ({ ...word, text }));

function addWords(settings: ContainerSetting[], words: readonly CommandWord[], isInner: boolean): void {
  let isValue = false;
  for (const [at, word] of words.entries()) {
    const { text, list, index } = word;
    const [, flag, name, own] = (text.startsWith('-') && FLAG.exec(text)) || [];
    if (flag !== undefined && name !== undefined) {
      const next = words[at + 1];
      isValue = own === undefined && next !== undefined && !next.text.startsWith('-');
      const place = isValue && next !== undefined ? next : word;
      const value = own ?? (isValue ? (next?.text ?? '') : '');
      settings.push({ from: 'flag', name, written: flag, value, word: placeOf(place), isInner });
      continue;
    }
    // The value of the flag before it is no word of its own.
    if (!isValue) {
      const [, assigned = '', value = text] = (text.includes('=') && ASSIGNMENT.exec(text)) || [];
      settings.push({ from: 'word', name: assigned, written: text, value, word: { list, index }, isInner });
    }
    isValue = false;
  }
}

const placeOf = ({ list, index }: CommandWord): Omit<CommandWord, 'text'> => ({ list, index });

/** Programs to which variables and flags name connections. */
const OTHERS =
  'DB|DATABASE|POSTGRES\\w*|PG|MYSQL|MARIADB|MONGO\\w*|REDIS|VALKEY|KAFKA|RABBITMQ|AMQP|NATS|MQTT|SMTP|E?MAIL\\w*|IMAP|' +
  'LDAP|S3|MINIO|ELASTIC\\w*|ES|OPENSEARCH|CLICKHOUSE|CASSANDRA|ETCD|CONSUL|VAULT|ZOO\\w*|MEMCACHED?|BROKER|QUEUE|CACHE|' +
  'STORAGE|BACKEND|UPSTREAM|REMOTE|CLIENT|OUTBOUND|PEER|CLUSTER|GRPC|OTEL\\w*|OTLP|JAEGER|TEMPORAL|PROXY|INGRESS';
const OF_OTHERS = new RegExp(`(?:^|_)(?:${OTHERS})(?:_|$)`);

/** True for a setting that is about a connection to another program: `REDIS_TLS`, `--upstream-port`. */
export function isOfAnother(name: string): boolean {
  return OF_OTHERS.test(name.toUpperCase().replace(/[-.]/g, '_'));
}

/** A word of a name whose value is a credential, also at the end of another word: `PGPASSWORD`, `DB_PASS`, `apikey`. */
const CREDENTIAL =
  /passw|passphrase|secret|token|credential|authoriz|(?:pass|pwd|pw|key|auth|creds?|cookie|pin|salt|dsn)s?$/i;
/** The name of a place, beside which no value is a credential: `AUTH_URL`, `--key-file`. */
const OF_PLACE = /(?:ports?|hosts?|addr(?:ess)?(?:es)?|ur[il]s?|endpoints?|listen|bind|servers?|files?|path|dir)$/i;

/** A word of a snapshot that did not leave its cluster. */
export const HIDDEN = 'x';
/** True for a value in which such a word stands. */
export const hidesWord = (value: string): boolean => value.split(/\W/).includes(HIDDEN);

/** True for the name of a setting or a header whose value is a credential: `API_KEY`, `--db-password`, `Cookie`. */
export function namesCredential(name: string): boolean {
  return !OF_PLACE.test(name) && name.split(/[-_.]|(?<=[a-z])(?=[A-Z])/).some((word) => CREDENTIAL.test(word));
}

const NAMES_PORT = /port|addr|bind|listen|urls?$/i;
/** An address that a server listens on: a port alone, or behind a host that means the own one. */
const OWN_ADDRESS =
  /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:(?:|[+*]|0\.0\.0\.0|\[::\]|localhost|127\.0\.0\.1|\[::1\]):)?(\d{1,5})$/i;

/** A flag or a variable that names a port of its own container by an address: `--bind-address=0.0.0.0:8080`. */
export type OwnAddress = ContainerSetting & { readonly port: number };

/** The own addresses of a container. Ask it with `container.once`. */
export function ownAddresses({ settings }: { readonly settings: () => readonly ContainerSetting[] }): OwnAddress[] {
  const addresses: OwnAddress[] = [];
  for (const setting of settings()) {
    const { from, name, value = '', isInner } = setting;
    // Few values end with a digit.
    if (from === 'word' || isInner || !/\d/.test(value.slice(-1)) || !NAMES_PORT.test(name)) continue;
    const port = OWN_ADDRESS.exec(value)?.[1];
    if (port !== undefined) addresses.push({ ...setting, port: Number(port) });
  }
  return addresses;
}

/** True when an argument names an IP address, alone or in front of a port: `-localip 169.254.20.10`. */
export function isAddressNamed(settings: readonly ContainerSetting[], host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (!/^[\d.]+$|:/.test(address)) return false;
  const texts = settings.flatMap(({ from, value = '' }) => (from === 'variable' ? [] : value.split(/[\s,;=/]+/)));
  return texts.some((text) => text === address || text.startsWith(`${address}:`) || text.startsWith(`[${address}]`));
}
