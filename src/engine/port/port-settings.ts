import { ownAddresses } from '../command/settings.ts';
import type { BareContainer } from '../workload/pod.ts';
import { PLAIN_TCP, meaningOfWords, type Meaning } from './words.ts';

/** What a flag or a variable says that names a port of its container. */
export interface SettingOfPort {
  readonly meaning: Meaning;
  /** The flag, or the name of the variable. */
  readonly sign: string;
}

/** Words of settings, whose names also have capitals in them: `grpcPort`. */
const wordsOfSetting = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.]/);

/** The protocol of an address: `grpc://0.0.0.0:8080`. */
const OTHER_SCHEME = /^(?!https?:)([a-z][a-z\d+.-]*):\/\//i;

/** `--tcp-addr`, `TLS_PORT`: an HTTP server may stand behind it. */
const saysTransport = ({ protocol }: Meaning): boolean => protocol === PLAIN_TCP || protocol === 'TLS';

/**
 * The ports of which a setting says that they are for another protocol or for metrics: `--grpc-port=9090`,
 * `METRICS_ADDR=:8080`. A port that another setting names without such a word is none of them. Ask it with
 * `container.once`.
 */
export function portsBySettings({ once }: Pick<BareContainer, 'once'>): ReadonlyMap<number, SettingOfPort> {
  const told = new Map<number, SettingOfPort>();
  const plain = new Set<number>();
  for (const { port, from, name, value = '', written } of once(ownAddresses)) {
    const [, scheme = ''] = OTHER_SCHEME.exec(value) ?? [];
    const meaning = meaningOfWords([...wordsOfSetting(name), scheme.toLowerCase()]);
    const isOther = meaning !== undefined && !/^(?:https?|web|app)$/.test(meaning.kind) && !saysTransport(meaning);
    if (!isOther) plain.add(port);
    else if (!told.has(port)) told.set(port, { meaning, sign: from === 'flag' ? written : name });
  }
  for (const port of plain) told.delete(port);
  return told;
}
