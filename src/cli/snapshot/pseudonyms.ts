import { isPortName } from '../../engine/probe/port-name.ts';
import { isMeshProxyName } from '../../engine/workload/mesh.ts';
import { PORT_WORDS } from '../../engine/workload/port-protocol.ts';
import { ANNOTATION_SOURCE } from '../../engine/policy/annotations.ts';
import { OWN_LIVENESS } from '../../engine/defaulting/provenance.ts';
import { SAFETY_SOURCE } from '../../engine/defaulting/startup.ts';
import { NAMESPACE_NAME_LABEL } from '../../engine/policy/policy-set.ts';
import { OPT_OUT_LABEL } from '../../engine/defaulting/opt-out.ts';

/** Returns the hash of a text as hexadecimal digits, at least 16. */
export type HashOf = (text: string) => string;

/** Words in names of ports that tell the protocol, and words that tell nothing. */
const KEPT_PORT_WORDS: ReadonlySet<string> = new Set([...PORT_WORDS, 'app', 'main', 'server']);

/**
 * Words that checks look for in paths and commands, and words that tell nothing. They stay also when a workload has a
 * name like this.
 */
const KEPT_WORDS: ReadonlySet<string> = new Set(
  (
    'ready readyz readiness live livez liveness health healthz healthcheck started startup startupz actuator manage ' +
    'status state ping cluster metrics api app http https localhost db local true false exit sh bash ash dash ksh zsh ' +
    'curl wget nc netcat ncat telnet cat test ls stat find touch rm echo sleep grep awk sed cut head tail tr tee ps ' +
    'pgrep pidof kill timeout env java python python3 node jcmd redis-cli rabbitmqctl rabbitmq-diagnostics nodetool ' +
    'cqlsh mongosh mongo kafka-topics.sh mysqladmin mysql psql pg_isready etcdctl consul vault nomad'
  ).split(' '),
);

const DIGITS = 10;
/** Shorter words of port names tell nothing, and have too few pseudonyms. */
const SHORTEST_PORT_WORD = 3;
const WORD = /[A-Za-z0-9][\w.-]*/g;

/**
 * Pseudonyms of names. The same name gets the same pseudonym in all places, and in each snapshot with the same secret.
 * A pseudonym is a valid name of a namespace, a workload, a container and a label.
 */
export class Pseudonyms {
  readonly #hashOf: HashOf;
  /** Names that may be part of paths and commands. */
  readonly #names: ReadonlySet<string>;
  readonly #ranks: ReadonlyMap<string, number>;

  /**
   * @param names names of objects and containers; texts in probes are searched for them
   * @param policyNames names of policies. Their pseudonyms keep the order, because the order decides which policy wins
   */
  constructor(hashOf: HashOf, names: Iterable<string>, policyNames: Iterable<string>) {
    this.#hashOf = hashOf;
    this.#names = new Set([...names].filter((name) => !KEPT_WORDS.has(name)));
    this.#ranks = new Map([...new Set(policyNames)].sort(compare).map((name, index) => [name, index]));
  }

  name(name: string): string {
    return name === '' ? '' : `n${this.#hashOf(name).slice(0, DIGITS)}`;
  }

  /** Names of mesh proxies stay, because checks skip them. `*` means all containers. */
  container(name: string): string {
    return isMeshProxyName(name) || name === '*' ? name : this.name(name);
  }

  policy(name: string): string {
    return `p${String(this.#ranks.get(name) ?? 0).padStart(5, '0')}-${this.name(name)}`;
  }

  /** The origin of a probe: `ProbePolicy/apps/static`, or a word that is no name. */
  source(source: string): string {
    if (source.startsWith(OWN_LIVENESS)) return OWN_LIVENESS + this.source(source.slice(OWN_LIVENESS.length));
    if (!source.includes('/'))
      return source === ANNOTATION_SOURCE || source === SAFETY_SOURCE ? source : this.policy(source);
    const [kind = '', ...rest] = source.split('/');
    const name = rest.pop() ?? '';
    return [kind, ...rest.map((namespace) => this.name(namespace)), this.policy(name)].join('/');
  }

  labelKey(key: string): string {
    return key === NAMESPACE_NAME_LABEL || key === OPT_OUT_LABEL ? key : this.name(key);
  }

  labelValue(key: string, value: string): string {
    return key === OPT_OUT_LABEL ? value : this.name(value);
  }

  /** Words with a meaning stay. Other words of the name get a pseudonym of the same length. */
  port(name: string): string {
    return isPortName(name) ? this.portOfService(name) : name;
  }

  /** The name of a Service's port, or an `appProtocol`: words that tell the protocol stay. */
  portOfService(name: string): string {
    const words = name
      .slice(name.lastIndexOf('/') + 1)
      .split('-')
      .map((word) => {
        if (KEPT_PORT_WORDS.has(word) || word.length < SHORTEST_PORT_WORD || !/[a-z]/.test(word)) return word;
        return `x${this.#hashOf(word).slice(0, word.length - 1)}`;
      });
    return words.join('-');
  }

  /** A path, a command's word or another text of a probe: names in the text are replaced. */
  text(text: string): string {
    // Istio's path for a probe has the container's name, whatever the name is.
    const path = text.replace(
      /^\/app-health\/([^/]+)(?=\/)/,
      (_, name: string) => `/app-health/${this.container(name)}`,
    );
    return path.replace(WORD, (word) => (this.#names.has(word) ? this.name(word) : word));
  }

  /** The value of a header: every value is replaced, and control characters stay. */
  headerValue(value: string): string {
    return value.replace(/\P{Cc}+/gu, (part) => this.name(part));
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
