import { HANDLER_DEFAULTS } from '../probe/api-defaults.ts';
import { isForTls, isNamedForHttps } from '../workload/port-protocol.ts';
import { isTcp, type ContainerPort } from '../workload/ports.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located, quotedValue } from './check.ts';
import { quote } from '../../base/text/cut.ts';
import type { BareContainer, Container } from '../workload/pod.ts';

/**
 * A TLS server answers a plain HTTP request with an error, or not at all, and a plain server no TLS handshake. The API
 * server's default scheme is HTTP. The port's name counts, and the flags and variables of the container.
 */
export const httpsScheme = defineCheck({
  id: 'https-scheme',
  summary: 'The probe sends plain HTTP to a port for HTTPS, or the other way round.',
  action: 'Warn',
  cannotWork: true,
  judgesByName: true,
  handlers: ['httpGet'],
  // The port's name is in the policy too.
  judgesProbeAlone: true,
  eachProbe: (probe, _, workload) => {
    const { handler, container } = probe;
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const { number, declared } = asked;
    const port = `port ${declared?.name === undefined ? number : `${quote(declared.name)} (${number})`}`;
    const place = located(probe, 'httpGet', 'scheme');
    if (handler.scheme === 'HTTPS') {
      const isPlain = declared !== undefined && isNamedForHttp(declared) && !mentionsTls(container);
      if (!isPlain || workload.portHints(declared).some(({ text }) => /https|tls/i.test(text))) return undefined;
      return {
        ...place,
        message: `${containerPhrase(container)} gets HTTPS on its ${port}; a server of plain HTTP rejects such a request`,
        remedy: 'write scheme: HTTP',
        ...handlerEdits(probe, { scheme: 'HTTP' }),
      };
    }
    if (handler.scheme !== HANDLER_DEFAULTS.scheme) return undefined;
    const isNamed = declared !== undefined && isNamedForHttps(declared);
    const word = isNamed ? undefined : tlsWordOf(container, number, declared);
    if (!isNamed && word === undefined) return undefined;
    const isNewer = handler.protocol !== HANDLER_DEFAULTS.protocol;
    const because = word === undefined ? '' : `, but ${quotedValue(word)} says TLS`;
    return {
      ...place,
      message: `${containerPhrase(container)} gets plain HTTP on its ${port}${because}; a TLS server rejects such a request`,
      remedy: `write scheme: HTTPS${isNewer ? ', and remove protocol' : ''}`,
      // The API server rejects HTTPS beside protocol HTTP2.
      ...(!isNewer && handlerEdits(probe, { scheme: 'HTTPS' })),
    };
  },
});

/** What the rule reads in a container beside its ports, for a copy without the other words and variables. */
export function tlsEvidenceOf(container: Container): { words: ReadonlyMap<string, number>; mentionsTls: boolean } {
  const words = new Map<string, number>();
  for (const probe of container.probes) {
    const asked = probe.handler.kind === 'httpGet' ? askedPort(probe) : undefined;
    const word = asked && tlsWordOf(container, asked.number, asked.declared);
    if (asked !== undefined && word !== undefined) words.set(word, asked.number);
  }
  const asksHttps = container.probes.some(({ handler }) => handler.kind === 'httpGet' && handler.scheme === 'HTTPS');
  return { words, mentionsTls: asksHttps && mentionsTls(container) };
}

/** `http`, `http-*` and `web`, unless another word or the number says TLS. */
function isNamedForHttp(port: ContainerPort): boolean {
  return /^(?:http|web|http-(?!.*webhook).*)$/.test(port.name ?? '') && !isForTls(port) && !isNamedForHttps(port);
}

/** A flag or a variable, with its value. */
interface Setting {
  /** Without the dashes of a flag. */
  readonly name: string;
  /** With its dashes. Undefined for a variable. */
  readonly flag: string | undefined;
  /** Undefined for a value that the kubelet reads elsewhere. Empty for a flag without one. */
  readonly value: string | undefined;
}

function written({ name, flag, value = '' }: Setting): string {
  return flag ?? `${name}=${value}`;
}

/** The flags in `command` and `args`, as `--flag=value` and as two words, and the variables. */
function settingsOf({ line: { words }, env }: BareContainer): readonly Setting[] {
  const flags = words.flatMap(({ text }, at): Setting[] => {
    const [, flag, name, own] = /^(--?([A-Za-z][\w.-]*))(?:=(.*))?$/s.exec(text) ?? [];
    const next = words[at + 1]?.text ?? '';
    return name === undefined ? [] : [{ name, flag, value: own ?? (next.startsWith('-') ? '' : next) }];
  });
  const variables = Array.from(env() ?? [], ([name, source]): Setting => {
    return { name, flag: undefined, value: source.from === 'value' ? source.value : undefined };
  });
  return [...flags, ...variables];
}

const OFF = /^(?:false|0|no|off|disabled?)$/i;
const ON = /^(?:true|1|yes|on|enabled?)$/i;
/** Turns TLS off, if it is on: `--insecure`, `DISABLE_TLS`. */
const TURNS_OFF = /^(?:insecure|(?:no|disable|without)[-_]?(?:tls|ssl|https)|(?:tls|ssl|https)[-_]?disabled?)$/i;

/** True if anything of the container says that it has to do with TLS. */
function mentionsTls(container: Container): boolean {
  const { settings, texts } = container.once(tlsSettings);
  if (container.line.unread !== undefined || texts.some((text) => tlsPortsIn(text).length > 0)) return true;
  return settings.some(
    ({ name, value = 'unknown' }) =>
      /tls|ssl|https|cert|(?<!in)secure/i.test(name) && value !== '' && !OFF.test(value) && !TURNS_OFF.test(name),
  );
}

/** The ports in `0.0.0.0:8443 http2 ssl`, as nginx and Kong write it, and in `https://0.0.0.0:8443`. */
function tlsPortsIn(text: string): number[] {
  const listed = text.matchAll(/(?<![\d.])(\d{1,5})(?=[ \t][^,;\n]{0,100}\bssl\b)/g);
  const urls = text.matchAll(/https:\/\/(?:[+*]|0\.0\.0\.0|\[::\])?:(\d{1,5})/g);
  return [...listed, ...urls].map(([, port]) => Number(port));
}

/** The certificate that a server shows. `--client-cert-file` and `--etcd-certfile` are for other connections. */
const CERTIFICATE =
  /^(?:(?:(?:tls|ssl|https?|server|web)[-_.]?)+(?:cert|crt|certificate)|cert(?=[-_.]?file))(?:[-_.]?(?:file|path))*$/i;
/** `SERVER_TLS`, `APP_TLS_ENABLED`, `ENABLE_TLS`. */
const SWITCH = /^(?:(\w+)_)?(?:TLS|SSL)(?:_ENABLED?)?$/;
/** Programs to which variables and flags name connections. */
const OTHERS =
  'DB|DATABASE|POSTGRES\\w*|PG|MYSQL|MARIADB|MONGO\\w*|REDIS|VALKEY|KAFKA|RABBITMQ|AMQP|NATS|MQTT|SMTP|E?MAIL\\w*|IMAP|' +
  'LDAP|S3|MINIO|ELASTIC\\w*|ES|OPENSEARCH|CLICKHOUSE|CASSANDRA|ETCD|CONSUL|VAULT|ZOO\\w*|MEMCACHED?|BROKER|QUEUE|CACHE|' +
  'STORAGE|BACKEND|UPSTREAM|REMOTE|CLIENT|OUTBOUND|PEER|CLUSTER|GRPC|OTEL\\w*|OTLP|JAEGER|TEMPORAL|PROXY|INGRESS';
const OF_OTHERS = new RegExp(`(?:^|_)(?:${OTHERS})(?:_|$)`);
/** Words of switches that turn on something else than a TLS server. */
const OTHER_SWITCH = /(?:^|_)(?:FORCE|REDIRECT|REQUIRE|VERIFY|SKIP|DISABLE|NO|INSECURE|IGNORE|ALLOW)(?:_|$)/;

const isOfOthers = (name: string): boolean => OF_OTHERS.test(name.toUpperCase().replace(/[-.]/g, '_'));

/** An address that a server listens on: a port alone, or behind a host that means the own one. */
const OWN_ADDRESS = /^(?:https?:\/\/)?(?:(?:|[+*]|0\.0\.0\.0|\[::\]|localhost|127\.0\.0\.1|\[::1\]):)?(\d{1,5})$/i;
const NAMES_PORT = /port|addr|bind|listen|urls?$/i;
const SECURE = /https|tls|ssl|(?<!in)secure/i;
/** Words for ports that are plain beside a port for TLS. */
const PLAIN =
  /health|probe|live|ready|metrics|status|monitor|debug|admin|pprof|insecure|plain|(?<![a-z])http(?![a-z])/i;

/** What a container says of TLS, whatever its probes ask. */
interface TlsSettings {
  readonly settings: readonly Setting[];
  /** The words and values that may name ports for TLS. */
  readonly texts: readonly string[];
  /** The flags and variables that name a port of the container's own. */
  readonly addresses: readonly (Setting & { readonly port: number })[];
  /** The flag or variable that turns on TLS. */
  readonly switched: Setting | undefined;
}

function tlsSettings(container: BareContainer): TlsSettings {
  const settings = settingsOf(container);
  const values = settings.flatMap(({ value = '', flag }) => (flag === undefined ? value : []));
  const texts = [...container.line.words.map(({ text }) => text), ...values].filter((text) => /ssl|https:/.test(text));
  const addresses = settings.flatMap((setting) => {
    const { name, value = '' } = setting;
    const port = NAMES_PORT.test(name) ? OWN_ADDRESS.exec(value)?.[1] : undefined;
    return port === undefined || isOfOthers(name) ? [] : [{ ...setting, port: Number(port) }];
  });
  const switched = settings.find(({ name, value = '', flag }) =>
    flag === undefined
      ? ON.test(value) && isOwnSwitch(name, settings)
      : CERTIFICATE.test(name) && !/^(?:""|'')?$/.test(value),
  );
  return { settings, texts, addresses, switched: switched && settings.some(isOff) ? undefined : switched };
}

function isOff({ name, value = '' }: Setting): boolean {
  return OFF.test(value)
    ? /^(?:enable-|use-|serve-)?(?:tls|ssl|https|secure)(?:-enabled?)?$/i.test(name)
    : TURNS_OFF.test(name);
}

/** The word of the container that makes a port a TLS port: it names the port, or the port is the only one. */
function tlsWordOf(container: Container, number: number, declared: ContainerPort | undefined): string | undefined {
  const { texts, addresses, switched } = container.once(tlsSettings);
  const listed = texts.find((text) => text.includes(String(number)) && tlsPortsIn(text).includes(number));
  if (listed !== undefined) return listed;
  const secure = addresses.find(({ name, flag, port }) => flag !== undefined && SECURE.test(name) && port === number);
  if (secure !== undefined) return written(secure);
  const [only, ...others] = container.ports?.filter(isTcp) ?? [];
  const isOnly = only === declared && only !== undefined && others.length === 0;
  if (!isOnly || container.line.unread !== undefined) return undefined;
  // The certificate may belong to another port, which is not declared.
  const isElsewhere = addresses.some(({ port, name }) => (port === number) === PLAIN.test(name));
  if (isElsewhere || PLAIN.test((only.name ?? '').replaceAll('http', ''))) return undefined;
  return switched && written(switched);
}

/** False for a switch beside the address of another server: `FOO_TLS` beside `FOO_HOST`. */
function isOwnSwitch(name: string, settings: readonly Setting[]): boolean {
  const [switched, prefix = ''] = SWITCH.exec(name) ?? [];
  if (switched === undefined || isOfOthers(prefix) || OTHER_SWITCH.test(prefix)) return false;
  const address = new RegExp(`^${prefix}_(?:HOSTS?|URL|URI|ADDR(?:ESS)?|ENDPOINT|SERVERS?)$`);
  return !settings.some(
    ({ name: other, value }) => address.test(other) && !/^(?:0\.0\.0\.0|\[?::\]?|localhost|)$/.test(value ?? 'x'),
  );
}
