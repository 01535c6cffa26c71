import { FORWARDING_PROXY } from '../engine/command/image.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS } from '../engine/probe/probe.ts';
import { DEFAULT_TIMING } from '../engine/probe/api-defaults.ts';
import { celList, celMap, celText, celWith, withName, type CelVariable } from './cel.ts';
import { LARGEST_INTEGER } from './namespace-layers.ts';
import { LACKING_PATTERN, NOTHING_PATTERN, NUMBERS_TABLE, OWNER_PATTERN, WORDS_TABLE } from './tables.ts';

const KINDS = celList(PROBE_KINDS);

const list = (object: string, field: string): string => `(has(${object}.${field}) ? ${object}.${field} : [])`;
/** At most one: the first of a list. */
export const firstOf = (values: string, name = 'v'): string =>
  `[${values}].map(${name}, ${name}.size() > 0 ? [${name}[0]] : [])[0]`;

/** The path of an image without registry, tag and digest (readImage and imagePath). */
const PATH = withName(
  `x.image.split('@')[0].split('/')`,
  's',
  withName(
    `s.size() > 1 && (s[0].matches('[.:A-Z]') || s[0] == 'localhost') ? 1 : 0`,
    'from',
    withName(
      `lists.range(s.size()).filter(i, i >= from).map(i, i == s.size() - 1 ? s[i].split(':')[0] : s[i])`,
      'path',
      `path.size() == 2 && path[0] == 'library' ? path[1] : path.join('/')`,
    ),
  ),
);

/**
 * A text without quotes, so that no quote parts a word of a script. A quote whose escapes CEL cannot read (`$'\x6c'`)
 * counts as a loopback address.
 */
const plain = (text: string): string =>
  `(${text}.contains("$'") ? 'localhost' : ${[celText('\\\n'), celText('\\'), `'"'`, '"\'"'].reduce((made, sign) => `${made}.replace(${sign}, '')`, text)})`;

/** Signs that a program listens where no probe asks, or by TLS. `listeningOf` and `tlsWordOf` read them exactly. */
const LINE_SIGNS =
  '(?i)127\\.|localhost|::1|unix:|\\.sock|(?:health|probe)[a-z0-9_.-]*(?:addr|bind|listen)|(?:addr|bind|listen)[a-z0-9_.-]*(?:health|probe)|' +
  'tls|ssl|secure|cert|crt|https(?:[^:]|$)|https://(?:[+*]|0\\.0\\.0\\.0|\\[::\\])?:[0-9]';
const VARIABLE_SIGNS =
  '(?is)^(?:[^=]*(?:bind|listen)[^=]*|host|server_address|server_host|aspnetcore_urls)=.*(?:127\\.|localhost|::1)|' +
  '^[^=]*(?:tls|ssl)[^=]*=(?:true|1|yes|on|enabled?)$|=.*(?:[0-9][ \\t][^,;\\n]*ssl|https://(?:[+*]|0\\.0\\.0\\.0|\\[::\\])?:[0-9])';

const strip = (word: string): string => `${word}.find('^.*[^0-9]')`;
/** The letter of a word in the table of words; empty for an unknown word. */
const letter = (word: string): string =>
  `(${word} in variables.words ? variables.words[${word}] : ${word}.matches('[0-9]$') && ${strip(word)} in variables.words ? variables.words[${strip(word)}] : '')`;
const isOfHttp = (word: string): string =>
  `(${word}.matches(${NOTHING_PATTERN}) || ${letter(word)} in ['S', 'H', 'W', 'A'])`;

/** The letter of what a name of a port means (meaningOfWords). `-`: nothing. */
const MEANING = withName(
  `!('redirect' in p.words) && (p.words.exists(w, ${letter('w')} == 'S') || ('tls' in p.words && 'http' in p.words))`,
  'tls',
  withName(
    `p.words.filter(w, !(tls && w == 'tls')).map(w, ${letter('w')})`,
    'letters',
    withName(
      `p.words.filter(w, !w.matches(${NOTHING_PATTERN}))`,
      'telling',
      `'p' in letters ? 'p' : 'n' in letters ? 'n' : 's' in letters ? 's' : 'm' in letters || p.words.exists(w, w.contains('metrics')) ? 'm'
      : p.words.exists(w, w.startsWith('webhook')) ? 'k' : tls ? 'S'
      : telling.size() == 0 ? '-'
      : 'redirect' in p.words || ${letter('telling[0]')} == 'H' || ${letter('telling[telling.size() - 1]')} == 'H' ? 'H'
      : telling.all(w, w.size() <= 15 && lists.range(w.size()).exists(i, ${isOfHttp('w.substring(0, i)')} && ${isOfHttp('w.substring(i)')})) ? (telling.exists(w, ${letter('w')} == 'W') ? 'H' : 'A') : '-'`,
    ),
  ),
);

/**
 * What a port speaks by its name and number (protocolOfPort, without Services). `S` HTTPS, `H` HTTP, `T` HTTPS by its
 * number, `a` an application, `u` unknown without a name, `x` unknown with a name, `k` a webhook, `o` something else,
 * `?` a malformed name.
 */
const SPEAKS = `!p.sound ? '?' : p.meaning in ['p', 'n', 's'] || (p.numberMeaning in ['p', 'n', 's'] && p.meaning != 'm') || p.meaning == 'm' ? 'o'
  : p.meaning == 'k' ? 'k' : p.meaning in ['S', 'H'] ? p.meaning : p.meaning == 'A' ? 'a'
  : !p.words.all(w, w.matches(${NOTHING_PATTERN})) ? 'x' : p.numberMeaning == 'S' ? 'T' : p.numberMeaning == 'k' ? 'k' : 'u'`;

const tcp = "(!has(p.protocol) || p.protocol in ['TCP', ''])";

const NUMBERS = celList(PROBE_INTEGERS);
const number = (field: keyof typeof DEFAULT_TIMING): string =>
  `(${celText(field)} in x.c[k] && x.c[k][${celText(field)}] > 0 ? x.c[k][${celText(field)}] : ${DEFAULT_TIMING[field]})`;

const OWN = `${KINDS}.filter(k, k in x.c).map(k, ${celMap({
  probe: 'k',
  handlers: `${celList(HANDLER_KINDS)}.filter(h, h in x.c[k])`,
  spec: 'x.c[k]',
  D: number('initialDelaySeconds'),
  P: number('periodSeconds'),
  T: number('timeoutSeconds'),
  F: number('failureThreshold'),
})})`;

const text = (value: string): string =>
  String.raw`(${value}.matches('^[ -~]*$') && !${value}.matches('\\$[({]|\\{\\{'))`;
const portIsSound = `(type(f.port) == int ? f.port >= 1 && f.port <= 65535 : x.ports.exists(p, p.sound && p.name == f.port))`;
const noHost = `(!('host' in f) || f.host == '')`;

const onlyHas = (object: string, ...members: readonly string[]): string => `${object}.all(k, k in ${celList(members)})`;

/** False for an author's probe whose handler CEL does not read in whole. */
const SOUND: Readonly<Record<string, string>> = {
  httpGet: `${onlyHas('f', 'path', 'port', 'host', 'scheme', 'httpHeaders')} && ${noHost} && (!('scheme' in f) || f.scheme in ['', 'HTTP', 'HTTPS']) && 'port' in f && ${portIsSound} &&
    (!('path' in f) || f.path == '' || (f.path.startsWith('/') && f.path.matches('^[!-~]*$') && ${text('f.path')} && f.path.size() < 4096)) &&
    (!('httpHeaders' in f) || (f.httpHeaders.size() < 100 && f.httpHeaders.all(h, ${onlyHas('h', 'name', 'value')} && has(h.name) && h.name.matches('^[-A-Za-z0-9]+$') && has(h.value) && ${text('h.value')} && h.value.size() < 4096)))`,
  tcpSocket: `${onlyHas('f', 'port', 'host')} && ${noHost} && 'port' in f && ${portIsSound}`,
  grpc: `${onlyHas('f', 'port', 'service')} && 'port' in f && type(f.port) == int && f.port >= 1 && f.port <= 65535 && (!('service' in f) || (${text('f.service')} && f.service.size() < 4096))`,
  exec: `'command' in f && f.command.size() > 0 && f.command[0].trim() != ''`,
};

const isSound = Object.entries(SOUND)
  .map(([kind, rule]) => `o.handlers[0] == ${celText(kind)} ? [o.spec[${celText(kind)}]].all(f, ${rule})`)
  .join(' : ');

const entry = 'x.layers.filter(l, l.probes.exists(p, p.probe == k))';
/** The highest layer that removes the probe or gives a handler. */
const TOP = firstOf('e.filter(s, s.given.removed || has(s.given.handler))');
const MERGED = `${KINDS}.map(k, [${entry}.map(l, ${celMap({ layer: 'l', given: 'l.probes.filter(p, p.probe == k)[0]' })})].map(e, ${celMap(
  {
    probe: 'k',
    removed: 'e.size() > 0 && e[0].given.removed',
    handler: `${TOP}.filter(s, !s.given.removed).map(s, ${celMap({
      kind: 's.given.handler.kind',
      fields: 's.given.handler.fields',
      usable: 's.given.handler.usable',
      tools: 's.given.handler.tools',
      aimed: 's.layer.aimed',
      source: 's.layer.source',
    })})`,
    numbers: `${NUMBERS}.map(n, (e.filter(s, n in s.given.integers).map(s, s.given.integers[n]) + [0])[0])`,
  },
)})[0])`;

const setting = (field: string): string =>
  `${firstOf(`x.layers.filter(l, has(l.${field}))`)}.filter(l, l.${field} != 0).map(l, ${celMap({ value: `l.${field}`, aimed: 'l.aimed', source: 'l.source' })})`;

/**
 * Different containers times layers, with 10 for what does not depend on layers. The API server allows 1,000,000 units
 * of cost an expression, and one that costs more gives no probe at all (test/native/cost.alone.test.ts).
 */
const MOST_WORK = 1000;
/** Expressions about variables cost 24 units a character. */
const MOST_VARIABLE_CHARACTERS = 30_000;

/** What is known of a container before its layers. */
const PLACED = ['list', 'index', 'c', 'sidecar'];

/** Each step keeps the record before it as members, so that a later step reads all of them from one name. */
const KEPT = ['key', 'c', 'image', 'path', 'layers', 'line', 'variables', 'ports', 'allPorts'];
const step = (members: Readonly<Record<string, string>>, kept: readonly string[] = KEPT): string =>
  celWith('x', kept, members);

/** What is known of a port before its meaning. */
const OF_PORT = ['tcp', 'name', 'number', 'numberMeaning', 'words', 'sound'];
/** What the last steps find out about a container. */
const FOUND = ['own', 'merged', 'port', 'startupSeconds', 'delay', 'learned', 'proxy', 'bare', 'told', 'product'];

/**
 * What the native policy finds out about each container that a layer speaks about. Containers that differ in no field
 * that counts are decided once: `key` has these fields, and `shapes` the different keys.
 */
export const CONTAINER_LAW: readonly CelVariable[] = [
  { name: 'words', expression: WORDS_TABLE },
  { name: 'numbers', expression: NUMBERS_TABLE },
  {
    name: 'named',
    expression: `variables.placed.filter(x, !has(x.c.restartPolicy) || x.c.restartPolicy == 'Always')
      .map(x, ${celWith('x', PLACED, { name: 'x.c.name', image: "(has(x.c.image) ? x.c.image : '')" })})
      .map(x, ${celWith('x', [...PLACED, 'name', 'image'], { path: PATH })})
      .map(x, ${celMap({
        list: 'x.list',
        index: 'x.index',
        name: 'x.name',
        key: celMap({
          image: 'x.image',
          path: 'x.path',
          product: `x.name.matches(${OWNER_PATTERN}) || x.name.matches('(?i)exporter')`,
          c: `${celList(['command', 'args', 'env', 'ports', ...PROBE_KINDS])}.filter(k, k in x.c).transformMapEntry(i, k, {k: x.c[k]})`,
          layers: `variables.layers.filter(l, (l.containers.size() == 0 ? x.name in variables.main
          : l.containers == ['*'] ? !x.sidecar || l.images.size() > 0 : x.name in l.containers) &&
          (l.images.size() == 0 || l.images.exists(i, x.path.matches(i))))`,
        }),
      })}).filter(x, x.key.layers.size() > 0)`,
  },
  {
    name: 'shapes',
    expression: `[variables.named.map(x, x.key)].map(k, lists.range(k.size()).filter(i, !lists.range(i).exists(j, k[j] == k[i])).map(i, k[i]))
      .filter(s, s.size() * (variables.selected.size() + 10) <= ${MOST_WORK} &&
      s.map(x, ${list('x.c', 'env')}.map(e, e.name + (has(e.value) ? e.value : ''))).flatten().join('').size() <= ${MOST_VARIABLE_CHARACTERS}).flatten()`,
  },
  {
    name: 'read',
    expression: `variables.shapes.map(x, ${celWith('x', ['c', 'image', 'path', 'layers'], { key: 'x' })}).map(x, ${step(
      {
        line: `(${list('x.c', 'command')} + ${list('x.c', 'args')}).map(t, ${plain('t')})`,
        variables: `${list('x.c', 'env')}.map(e, e.name + '=' + (has(e.value) ? e.value : ''))`,
        allPorts: `${list('x.c', 'ports')}.filter(p, has(p.containerPort)).map(p, ${celMap({
          tcp,
          name: "(has(p.name) ? p.name : '')",
          number: 'p.containerPort',
          numberMeaning: `(string(p.containerPort) in variables.numbers ? variables.numbers[string(p.containerPort)] : '')`,
          words: "(has(p.name) && p.name != '' ? p.name.split('-') : [])",
          sound: "(!has(p.name) || p.name == '' || p.name.matches('^[a-z0-9]+(-[a-z0-9]+)*$'))",
        })}).map(p, ${celWith('p', OF_PORT, {
          meaning: `p.words.size() == 0 ? '' : ${MEANING}`,
        })}).map(p, ${celWith('p', [...OF_PORT, 'meaning'], {
          speaks: SPEAKS,
          never: `p.name == '' ? p.numberMeaning in ['p', 'n'] : p.words.exists(w, ${letter('w')} in ['p', 'n'])`,
          https: `p.meaning == 'S' || p.words.exists(w, ${letter('w')} == 'S') || ('tls' in p.words && 'http' in p.words) || (p.words.size() > 0 && p.words[0].startsWith('webhook'))`,
          plain: "p.name.matches('^(?:http|web|http-.*)$')",
        })})`,
      },
      KEPT.slice(0, 5),
    )}).map(x, ${step(
      { ports: 'x.allPorts.filter(p, p.tcp)' },
      KEPT.filter((name) => name !== 'ports'),
    )})`,
  },
  {
    name: 'known',
    expression: `variables.read.map(x, ${step({
      own: OWN,
      merged: MERGED,
      port: setting('port'),
      startupSeconds: setting('startupSeconds'),
      delay: setting('fromInitialDelaySeconds'),
      learned: `${firstOf('x.layers.filter(l, has(l.learned))')}.exists(l, l.learned)`,
      proxy: `x.path.matches(${celText(FORWARDING_PROXY.source.replace('(?:^|-)', '(?:^|[-/])'))})`,
      bare: `('/' + x.image.lowerAscii()).matches(${LACKING_PATTERN})`,
      told: `x.line.exists(t, t.matches(${celText(LINE_SIGNS)})) || x.variables.exists(v, v.matches(${celText(VARIABLE_SIGNS)}))`,
      product: `x.key.product || x.path.matches(${OWNER_PATTERN}) || x.path.matches('(?i)exporter') ||
        lists.range(x.line.size()).exists(i, i < 5 && x.line[i].matches(${OWNER_PATTERN})) ||
        x.allPorts.exists(p, p.meaning == 'p' || p.numberMeaning == 'p')`,
    })}).map(x, ${celWith('x', [...KEPT, ...FOUND], {
      odd: `x.own.exists(o, o.handlers.size() != 1 || [o.D, o.P, o.T, o.F].exists(n, n > ${LARGEST_INTEGER}) || !(${isSound} : false)) || x.ports.exists(p, !p.sound)`,
    })})`,
  },
];

/** The members of a record of `known`. */
export const KNOWN_MEMBERS: readonly string[] = [...KEPT, ...FOUND, 'odd'];
