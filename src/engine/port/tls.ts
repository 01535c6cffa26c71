import { isTcp, type ContainerPort } from '../workload/ports.ts';
import type { BareContainer } from '../workload/pod.ts';
import { isOfAnother, ownAddresses, type ContainerSetting, type OwnAddress } from '../command/settings.ts';
import { meaningOfNumber, saysHttps, wordsOf } from './words.ts';

type NamedPort = Pick<ContainerPort, 'name' | 'number'>;

/** True when the port's name says HTTPS. A webhook counts on a TLS number only: others may take plain HTTP. */
export function isNamedForHttps({ name, number }: NamedPort): boolean {
  if (name === undefined) return false;
  const words = wordsOf(name);
  const isWebhook = words[0]?.startsWith('webhook') === true && !words.includes('http');
  return saysHttps(words) || (isWebhook && isTlsNumber(number));
}

/** 443, 8443 and 9443, which admission webhooks have. */
const isTlsNumber = (number: number): boolean => /^(?:https|webhook)$/.test(meaningOfNumber(number)?.kind ?? '');

/** True when the port's name or number says TLS. */
export function isForTls(port: NamedPort): boolean {
  return isNamedForHttps(port) || isTlsNumber(port.number) || wordsOf(port.name ?? '').includes('tls');
}

/** True for `http`, `http-*` and `web`, unless another word or the number says TLS. */
export function isNamedForHttp(port: ContainerPort): boolean {
  return /^(?:http|web|http-(?!.*webhook).*)$/.test(port.name ?? '') && !isForTls(port);
}

const OFF = /^(?:false|0|no|off|disabled?)$/i;
const ON = /^(?:true|1|yes|on|enabled?)$/i;
/** Turns TLS off, if it is on: `--insecure`, `DISABLE_TLS`. */
const TURNS_OFF = /^(?:insecure|(?:no|disable|without)[-_]?(?:tls|ssl|https)|(?:tls|ssl|https)[-_]?disabled?)$/i;
const OF_TLS = /tls|ssl|https|cert|keystore|(?<!in)secure/i;
/** A path of a certificate or a key: `/etc/pki/web.crt`, `/tls/key.pem`. */
const TLS_FILE = /\/(?:tls|ssl|certs?|pki)(?:\/|$)|\.(?:pem|crt|cer|key|p12|pfx|jks)$/i;

/** True for a mounted volume whose name, path or Secret says that it holds certificates. */
export const isMountForTls = (mount: string): boolean => /tls|ssl|cert/i.test(mount);

/** True if anything of the container says that it has to do with TLS: a flag, a variable, a mounted certificate. */
export function mentionsTls(container: BareContainer): boolean {
  if (container.line.unread !== undefined) return true;
  if (container.once(tlsSettings).texts.some((text) => tlsPortsIn(text).length > 0)) return true;
  if (container.mounts().some(isMountForTls)) return true;
  return container
    .settings()
    .some(
      ({ name, value = 'unknown' }) =>
        TLS_FILE.test(value) || (OF_TLS.test(name) && value !== '' && !OFF.test(value) && !TURNS_OFF.test(name)),
    );
}

/**
 * The ports in `0.0.0.0:8443 http2 ssl`, as nginx and Kong write it, and in `https://0.0.0.0:8443`, each with the part
 * of the text that says so.
 */
function tlsPortsIn(text: string): { readonly port: number; readonly said: string }[] {
  const listed = text.matchAll(/(?<![\d.])(\d{1,5})(?=([ \t][^,;\n]{0,100}?\bssl\b))/g);
  const urls = text.matchAll(/(https:\/\/(?:[+*]|0\.0\.0\.0|\[::\])?:)(\d{1,5})/g);
  return [
    ...Array.from(listed, ([, port = '', words = '']) => ({ port: Number(port), said: port + words })),
    ...Array.from(urls, ([said, , port]) => ({ port: Number(port), said })),
  ];
}

/** The certificate that a server shows. `--client-cert-file` and `--etcd-certfile` are for other connections. */
const CERTIFICATE =
  /^(?:(?:(?:tls|ssl|https?|server|web)[-_.]?)+(?:cert|crt|certificate)|cert(?=[-_.]?file))(?:[-_.]?(?:file|path))*$/i;
/** `SERVER_TLS`, `APP_TLS_ENABLED`, `ENABLE_TLS`. */
const SWITCH = /^(?:(\w+)_)?(?:TLS|SSL)(?:_ENABLED?)?$/;
/** Words of switches that turn on something else than a TLS server. */
const OTHER_SWITCH = /(?:^|_)(?:FORCE|REDIRECT|REQUIRE|VERIFY|SKIP|DISABLE|NO|INSECURE|IGNORE|ALLOW)(?:_|$)/;
const SECURE = /https|tls|ssl|(?<!in)secure/i;
/** Words for ports that are plain beside a port for TLS. */
const PLAIN =
  /health|probe|live|ready|metrics|status|monitor|debug|admin|pprof|insecure|plain|(?<![a-z])http(?![a-z])/i;

/** What a container says of TLS, whatever its probes ask. */
interface TlsSettings {
  /** The words and values that may name ports for TLS. */
  readonly texts: readonly string[];
  /** The flags and variables that name a port of the container's own. */
  readonly addresses: readonly OwnAddress[];
  /** The flag or variable that turns on TLS. */
  readonly switched: ContainerSetting | undefined;
}

function tlsSettings(container: BareContainer): TlsSettings {
  const settings = container.settings().filter(({ from, isInner }) => from !== 'word' && !isInner);
  const values = settings.flatMap(({ from, value = '' }) => (from === 'variable' ? value : []));
  const texts = [...container.line.words.map(({ text }) => text), ...values].filter((text) => /ssl|https:/.test(text));
  const addresses = container.once(ownAddresses).filter(({ name }) => !isOfAnother(name));
  const switched = settings.find(({ from, name, value = '' }) =>
    from === 'variable'
      ? ON.test(value) && isOwnSwitch(name, settings)
      : CERTIFICATE.test(name) && !/^(?:""|'')?$/.test(value),
  );
  return { texts, addresses, switched: switched && settings.some(isOff) ? undefined : switched };
}

function isOff({ name, value = '' }: ContainerSetting): boolean {
  return OFF.test(value)
    ? /^(?:enable-|use-|serve-)?(?:tls|ssl|https|secure)(?:-enabled?)?$/i.test(name)
    : TURNS_OFF.test(name);
}

/** The word of the container that makes a port a TLS port: it names the port, or the port is the only one. */
export function tlsWordOf(
  container: BareContainer,
  number: number,
  declared: ContainerPort | undefined,
): string | undefined {
  const { texts, addresses, switched } = container.once(tlsSettings);
  const naming = texts.filter((text) => text.includes(String(number)));
  const listed = naming.flatMap(tlsPortsIn).find(({ port }) => port === number);
  if (listed !== undefined) return listed.said;
  const secure = addresses.find(({ name, from, port }) => from === 'flag' && SECURE.test(name) && port === number);
  if (secure !== undefined) return secure.written;
  const [only, ...others] = container.ports?.filter(isTcp) ?? [];
  const isOnly = only === declared && only !== undefined && others.length === 0;
  if (!isOnly || container.line.unread !== undefined) return undefined;
  // The certificate may belong to another port, which is not declared.
  const isElsewhere = addresses.some(({ port, name }) => (port === number) === PLAIN.test(name));
  if (isElsewhere || PLAIN.test((only.name ?? '').replaceAll('http', ''))) return undefined;
  return switched?.written;
}

/** False for a switch beside the address of another server: `FOO_TLS` beside `FOO_HOST`. */
function isOwnSwitch(name: string, settings: readonly ContainerSetting[]): boolean {
  const [switched, prefix = ''] = SWITCH.exec(name) ?? [];
  if (switched === undefined || isOfAnother(prefix) || OTHER_SWITCH.test(prefix)) return false;
  const address = new RegExp(`^${prefix}_(?:HOSTS?|URL|URI|ADDR(?:ESS)?|ENDPOINT|SERVERS?)$`);
  return !settings.some(
    ({ name: other, value }) => address.test(other) && !/^(?:0\.0\.0\.0|\[?::\]?|localhost|)$/.test(value ?? 'x'),
  );
}
