import { LONGEST_NAME, readImage } from '../command/image.ts';
import { mainPrograms } from '../command/main-process.ts';
import { programName } from '../command/words.ts';
import { quote } from '../../base/text/cut.ts';
import { describePort, type ContainerPort } from '../workload/ports.ts';
import type { CommandLine } from '../workload/command-reader.ts';
import type { ServiceWord, ServicesOfPod } from '../facts/services.ts';
import type { BareContainer } from '../workload/pod.ts';
import { portsBySettings } from './port-settings.ts';
import { tlsWordOf } from './tls.ts';
import {
  isDoubtful,
  isNever,
  isNoName,
  meaningOfNumber,
  meaningOfText,
  neverHttpIn,
  productOf,
  saysProtocol,
  wordsOf,
  type Meaning,
} from './words.ts';

/** What a port's server speaks, with the sign that decided. */
export interface Speaks {
  readonly speaks: 'http' | 'https' | 'other' | 'metrics' | 'nothing to ask' | 'unknown';
  /** The protocol or purpose for people. Undefined where nothing is known. */
  readonly protocol?: string;
  /** What says so, for people: `its name`, `Service web`, `port amqp (5672)`. Undefined without a sign. */
  readonly sign?: string;
  /** The sign is the port's own name: whoever names the port in a policy has read it. */
  readonly isByName?: true;
  /** A setting says TLS where the name does not: nobody knows whether HTTPS is answered. */
  readonly isDoubtful?: true;
}

type NamedPort = Pick<ContainerPort, 'name' | 'number'>;

const BY_NUMBER = 'its number';

const UNKNOWN: Speaks = { speaks: 'unknown' };

/**
 * What a port speaks, as far as an endpoint of the namespace may be asked there. The answer that asks no HTTP wins: a
 * word of another protocol in the port's name, in a Service or in a flag, then a well-known number, then the owner and
 * the ports beside. A broker and a database have endpoints of their own at `http` and `management`. A name that is no
 * word of HTTP leaves the answer unknown.
 */
export function speaks(port: ContainerPort, owner: BareContainer, services: ServicesOfPod): Speaks {
  const own = protocolOfPort(port, owner, services);
  if (own.speaks === 'other' || own.speaks === 'metrics' || own.speaks === 'nothing to ask') return own;
  const found = owner.once(purposeOf) ?? besideProduct(port, owner, services);
  if (found !== undefined) return found;
  const isNamed = own.isByName === true && own.speaks === 'unknown';
  if (isNamed || (own.speaks === 'https' && own.sign !== BY_NUMBER)) return own;
  const word = tlsWordOf(owner, port.number, port);
  return word === undefined ? own : { speaks: 'https', protocol: 'HTTPS', sign: quotedSetting(word), isDoubtful: true };
}

const quotedSetting = (word: string): string => quote(word, MOST_WORD);
const MOST_WORD = 40;

/** What a port speaks by itself, whatever its container is. Many Services call a port of HTTP servers `tcp`. */
export function protocolOfPort(port: NamedPort, owner: BareContainer, services: ServicesOfPod): Speaks {
  const own = port.name === undefined ? undefined : meaningOfText(port.name);
  if (own !== undefined && (isNever(own) || own.kind === 'seldom')) return byName(own);
  const words = services.say(port);
  const said = words.flatMap((word) => ofService(word) ?? []);
  const never = said.find(({ meaning }) => isNever(meaning));
  if (never !== undefined) return never.speaks;
  const isGeneral = own === undefined || own.kind === 'app';
  const seldom = isGeneral ? said.find((one) => one.speaks.speaks === 'other') : undefined;
  if (seldom !== undefined) return seldom.speaks;
  const number = meaningOfNumber(port.number);
  if (number !== undefined && (isNever(number) || number.kind === 'seldom') && own?.kind !== 'metrics')
    return answer(number, BY_NUMBER);
  if (own?.kind === 'metrics' || own?.kind === 'webhook') return byName(own);
  const set = owner.once(portsBySettings).get(port.number);
  if (set !== undefined) return answer(set.meaning, set.sign);
  if (!isGeneral) return byName(own);
  // Where ports http and https of a Service lead to one port, TLS ends before the Pod.
  for (const kind of ['http', 'https', 'metrics', 'nothing to ask']) {
    const found = said.find((one) => one.speaks.speaks === kind);
    if (found !== undefined) return found.speaks;
  }
  if (own !== undefined) return byName(own);
  if (!isNoName(port.name)) return { speaks: 'unknown', sign: 'its name', isByName: true };
  return number?.kind === 'https' || number?.kind === 'webhook' ? answer(number, BY_NUMBER) : UNKNOWN;
}

function byName(meaning: Meaning): Speaks {
  return { ...answer(meaning, 'its name'), isByName: true };
}

function answer({ kind, protocol }: Meaning, sign: string): Speaks {
  if (kind === 'metrics' || kind === 'https') return { speaks: kind, protocol, sign };
  if (kind === 'webhook') return { speaks: 'nothing to ask', protocol, sign };
  if (kind === 'http' || kind === 'web' || kind === 'app') return { speaks: 'http', protocol, sign };
  return { speaks: 'other', protocol, sign };
}

function ofService({ service, text }: ServiceWord): { meaning: Meaning; speaks: Speaks } | undefined {
  const meaning = meaningOfText(text);
  return saysProtocol(meaning) ? { meaning, speaks: answer(meaning, `Service ${service}`) } : undefined;
}

/**
 * What a container is for, whatever its ports are: an exporter has `metrics` alone, and the endpoints of a product are
 * its own (`unknown`). Null for all others. Ask it with `container.once`.
 */
export const purposeOf = ({ name, image, line }: Pick<BareContainer, 'name' | 'image' | 'line'>): Speaks | null => {
  const { path } = readImage(image);
  const said = (): string => `image ${quote(path, MOST_IMAGE)}`;
  if (/exporter/i.test(name)) return { speaks: 'metrics', protocol: 'metrics', sign: 'the name of the container' };
  if (/exporter/i.test(path)) return { speaks: 'metrics', protocol: 'metrics', sign: said() };
  const byImage = path.length > LONGEST_NAME ? undefined : productOf(...path.split('/'));
  if (byImage !== undefined) return { speaks: 'unknown', protocol: byImage, sign: said() };
  const byOwnName = productOf(name);
  if (byOwnName !== undefined) return { speaks: 'unknown', protocol: byOwnName, sign: 'the name of the container' };
  const program = productProgram(line);
  const byProgram = program && productOf(programName(program));
  return byProgram ? { speaks: 'unknown', protocol: byProgram, sign: quotedSetting(program) } : null;
};

/** The program of a command line that is a product: `redis-server`. */
const productProgram = (line: CommandLine): string | undefined =>
  mainPrograms(line).find((text) => text.length <= LONGEST_NAME && productOf(programName(text)) !== undefined);

const MOST_IMAGE = 65;

/** A port beside that shows a broker or a database. */
function besideProduct(port: NamedPort, owner: BareContainer, services: ServicesOfPod): Speaks | undefined {
  for (const beside of owner.readablePorts) {
    if (beside.number === port.number) continue;
    const product = productAt(beside, services);
    if (product !== undefined) return { speaks: 'unknown', protocol: product, sign: `port ${describePort(beside)}` };
  }
  return undefined;
}

/** The product that a port shows by its name, a Service or its number. */
function productAt(port: ContainerPort, services: ServicesOfPod): string | undefined {
  const own = port.name === undefined ? undefined : meaningOfText(port.name);
  const said = [own, ...services.say(port).map(({ text }) => meaningOfText(text))];
  const isGeneral = own === undefined || /^(?:https?|web|app)$/.test(own.kind);
  const known = isGeneral ? [...said, meaningOfNumber(port.number)] : said;
  return known.find((meaning) => meaning?.kind === 'product')?.protocol;
}

/** A protocol, and what says so: `its name`, `its number`, `Service web`. */
export type NeverHttp = Readonly<Record<'protocol' | 'because', string>>;

/**
 * The protocol of a port whose server certainly never answers HTTP. Undefined in doubt: where a word means HTTP or a
 * client of the protocol, or where only the number of a port with a name says so.
 */
export function neverHttp(port: NamedPort, services: ServicesOfPod): NeverHttp | undefined {
  const said = [
    ...(port.name === undefined ? [] : [{ words: wordsOf(port.name), because: 'its name' }]),
    ...services.say(port).map(({ service, text }) => ({ words: wordsOf(text), because: `Service ${service}` })),
  ];
  if (isDoubtful(said.flatMap(({ words }) => words))) return undefined;
  for (const { words, because } of said) {
    const protocol = neverHttpIn(words);
    if (protocol !== undefined) return { protocol, because };
  }
  if (port.name !== undefined) return undefined;
  const number = meaningOfNumber(port.number);
  return number !== undefined && isNever(number) ? { protocol: number.protocol, because: BY_NUMBER } : undefined;
}
