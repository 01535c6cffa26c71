import { DEFAULT_TIMING } from '../engine/probe/api-defaults.ts';
import { PROBE_INTEGERS } from '../engine/probe/probe.ts';
import { MOST_FAILURES, MOST_KILL_SECONDS } from '../engine/time/bounds.ts';
import { celList, celMap, celWith, larger, withName, type CelVariable } from './cel.ts';
import { firstOf, KNOWN_MEMBERS } from './container-law.ts';
import { OTHER_PATTERN } from './tables.ts';

/** The fields of a handler that tell how to reach the server: a copy has the author's (FOLLOWED in own-probes.ts). */
const FOLLOWED = celList(['port', 'scheme', 'httpHeaders']);
const FIELDS = celList(['path', 'port', 'scheme', 'httpHeaders', 'service']);

/** A map of the fields for which a condition holds. `f` is the field. */
const fields = (condition: string, value: string): string =>
  `${FIELDS}.filter(f, ${condition}).transformMapEntry(i, f, {f: ${value}})`;

/** The handler of a policy on a port. The port fills in what the policy leaves open. */
const onPort = (isHttps: string): string =>
  fields(
    `f in g.fields || f == 'port' || (f == 'scheme' && (${isHttps}))`,
    `f in g.fields ? g.fields[f] : f == 'port' ? (p.name != '' ? dyn(p.name) : dyn(p.number)) : dyn('HTTPS')`,
  );

/** A setting names the port beside a word of another protocol: portsBySettings may give the port another meaning. */
const IS_TOLD = String.raw`(x.other && (x.line + x.variables).exists(t, t.matches('(?:^|[^0-9])0*' + string(p.number) + '(?:[^0-9]|$)')))`;

/** The port for a path without a port (inferHttpPort). */
const INFERRED = withName(
  "x.ports.filter(p, p.speaks in ['S', 'H', 'T', 'a', 'u'])",
  'candidates',
  withName(
    `candidates.filter(p, p.name == 'http') + candidates.filter(p, p.name == 'https') + candidates.filter(p, p.name.startsWith('http-')) +
    (candidates.size() > 0 && x.ports.all(p, p.speaks in ['o'] || p.number == candidates[0].number) ? [candidates[0]] : [])`,
    'found',
    `found.size() == 0 ? [] : [found[0]]`,
  ),
);

/** @param doubt true where the webhook may give the handler, and CEL cannot tell */
const fitted = (handlerFields: string, doubt = 'false'): string =>
  celMap({ kind: 'g.kind', fields: handlerFields, source: 'g.source', doubt });
const DOUBT = fitted('g.fields', 'true');

/** The handler of a policy in a container without regard to its author's probes (policyHandler). */
const POLICY = `g.kind == 'exec' ? [${fitted('g.fields', 'g.tools && x.bare')}]
  : g.kind == 'httpGet' && !g.aimed && x.proxy ? []
  : named.size() == 0 ? (x.told || x.product || x.ports.exists(p, ${IS_TOLD}) ? [${DOUBT}]
    : x.inferred.map(p, ${fitted(onPort("p.speaks in ['S', 'T']"), "!(p.speaks in ['S', 'H'])")}))
  : ${firstOf('x.ports.filter(p, p.name == named[0].value || p.number == named[0].value)')}.map(p,
    g.kind != 'httpGet' ? ${fitted('g.fields')}
    : named[0].aimed ? ${fitted(onPort('p.https'))}
    : ${fitted(onPort("p.speaks == 'T' || p.https"), `!(p.speaks in ['S', 'H']) || x.product || ${IS_TOLD}`)})`;

const portNumber = (port: string): string =>
  `(type(${port}) == int ? [${port}] : x.ports.filter(p, p.name == ${port}).map(p, p.number))[0]`;
/** The scheme of an HTTP handler, with the API server's default. */
export const schemeOf = (handler: string): string =>
  `('scheme' in ${handler} && ${handler}.scheme != '' ? ${handler}.scheme : 'HTTP')`;
const headersOf = (handler: string): string => `('httpHeaders' in ${handler} ? ${handler}.httpHeaders : [])`;

/** The author's probes of the kind disagree about how to reach the server (differenceAmong). */
const DIFFERS = `same.exists(o, ${portNumber('o.spec[g.kind].port')} != ${portNumber('model.port')} ||
  ${schemeOf('o.spec[g.kind]')} != ${schemeOf('model')} || ${headersOf('o.spec[g.kind]')} != ${headersOf('model')})`;

const FOLLOWING = fields(
  `f in ${FOLLOWED} ? (g.aimed && f in g.fields) || f in model : f in g.fields`,
  `f in ${FOLLOWED} ? (g.aimed && f in g.fields ? g.fields[f] : model[f]) : g.fields[f]`,
);

/** An aimed layer names the port; where the author asks the same, the author tells how (likeModelOnSamePort). */
const ON_SAME_PORT = `policy.map(h, ${portNumber('h.fields.port')} != ${portNumber('model.port')} ? h : ${celMap({
  kind: 'h.kind',
  fields: fields(
    `f in h.fields || (f in ['scheme', 'httpHeaders'] && f in model)`,
    `f in ['scheme', 'httpHeaders'] && !(f in g.fields) && f in model ? model[f] : h.fields[f]`,
  ),
  source: 'h.source',
  doubt: 'h.doubt',
})})`;

/** The path of an author's probe differs from the policy's for the same probe (ownPathDiffers). */
const CONTRADICTS = `x.own.exists(o, o.handlers[0] == 'httpGet' && x.merged.exists(m, m.probe == o.probe &&
  m.handler.exists(h, h.kind == 'httpGet' && 'path' in h.fields &&
  h.fields.path != ('path' in o.spec.httpGet && o.spec.httpGet.path != '' ? o.spec.httpGet.path : '/'))))`;

/** A handler by what the author wrote (handlerFor). `g` is what layers give. */
const HANDLER = withName(
  "('port' in g.fields ? [{'value': dyn(g.fields.port), 'aimed': dyn(g.aimed)}] : g.kind == 'httpGet' ? x.port : [])",
  'named',
  withName(
    POLICY,
    'policies',
    withName(
      'policies.size() > 0 ? [policies[0]] : []',
      'policy',
      withName(
        'x.own.filter(o, o.handlers[0] == g.kind)',
        'same',
        `x.contradicts && g.kind == 'httpGet' && !g.aimed ? []
        : !g.usable ? [${DOUBT}]
        : x.own.size() == 0 || (same.size() == 0 && g.aimed) ? policy
        : same.size() == 0 ? []
        : g.kind == 'exec' || (g.kind != 'httpGet' && named.exists(n, n.aimed)) ? policy
        : ${withName(
          'same[0].spec[g.kind]',
          'model',
          withName(
            DIFFERS,
            'differs',
            `named.exists(n, n.aimed) ? (differs ? policy : ${ON_SAME_PORT}) : differs ? [] : [${fitted(FOLLOWING)}]`,
          ),
        )}`,
      ),
    ),
  ),
);

/** The declared TCP port that a handler asks. */
const DECLARED = 'x.ports.filter(p, p.name == h.fields.port || p.number == h.fields.port)';

/**
 * False where a check may say that the handler cannot work in its container (permitted-defaulting.ts): a setting tells
 * another address or TLS, or the port's name or number tells another protocol. `h` is the handler.
 */
export const MAY_WORK = `(h.kind == 'exec' || (!x.told && [${DECLARED}].all(d, h.kind != 'httpGet'
  ? ![dyn('*'), dyn(h.fields.port)].exists(v, v in variables.noTcpPorts) && d.all(p, !(p.name in variables.noTcpPorts) && !(p.number in variables.noTcpPorts))
  : ![dyn('*'), dyn(h.fields.port)].exists(v, v in variables.otherPorts) && (d.size() > 0
  ? !d[0].never && !(d[0].name in variables.otherPorts) && !(d[0].number in variables.otherPorts) &&
    (${schemeOf('h.fields')} == 'HTTPS' ? !d[0].plain : !d[0].https)
  : type(h.fields.port) == int && !(string(h.fields.port) in variables.numbers && variables.numbers[string(h.fields.port)] in ['p', 'n'])))))`;

const orDefault = (numbers: string, field: keyof typeof DEFAULT_TIMING): string =>
  withName(`${numbers}[${PROBE_INTEGERS.indexOf(field)}]`, 'n', `n > 0 ? n : ${DEFAULT_TIMING[field]}`);

/** The times of a policy's probe. Its numbers are in the order of PROBE_INTEGERS, and 0 is the API server's default. */
const timing = (numbers: string): Readonly<Record<'D' | 'T' | 'P' | 'F', string>> => ({
  D: `${numbers}[0]`,
  T: orDefault(numbers, 'timeoutSeconds'),
  P: orDefault(numbers, 'periodSeconds'),
  F: orDefault(numbers, 'failureThreshold'),
});

export const guaranteed = (t: string): string => `(${larger('0', `${t}.D - 1`)} + (${t}.F - 1) * ${t}.P)`;

/** A probe of a policy with its numbers. */
const PROBE = (threshold: string): string =>
  celMap({ ...timing('m.numbers'), numbers: 'm.numbers', F: threshold, handler: 'h' });

/** The failures of an injected liveness probe beside the author's startup probe (safeThreshold); 0: none is safe. */
const LIVENESS = withName(
  celMap(timing('m.numbers')),
  't',
  withName(
    `x.own.filter(o, o.probe == 'startupProbe').map(o, o.P)`,
    'periods',
    `periods.size() == 0 || ${guaranteed('t')} >= periods[0] ? t.F : ${withName(
      `(periods[0] - ${larger('0', 't.D - 1')} + t.P - 1) / t.P + 1`,
      'needed',
      `needed <= ${MOST_FAILURES.livenessProbe} && t.P + (needed - 1) * ${larger('t.P', 't.T')} + t.T <= ${MOST_KILL_SECONDS} ? needed : 0`,
    )}`,
  ),
);

const READ = [...KNOWN_MEMBERS, 'other', 'inferred', 'contradicts'];
const KNOWN = [...READ, 'fits'];

/** Which handler each probe of the layers gets, and the liveness and readiness probes. */
export const HANDLER_LAW: readonly CelVariable[] = [
  {
    name: 'fitted',
    expression: `variables.known.filter(x, !x.odd).map(x, ${celWith('x', KNOWN_MEMBERS, { inferred: INFERRED, contradicts: CONTRADICTS, other: `(x.line + x.variables).exists(t, t.matches(${OTHER_PATTERN}))` })})
      .map(x, ${celWith('x', READ, {
        fits: `x.merged.map(m, ${celMap({
          probe: 'm.probe',
          numbers: 'm.numbers',
          found: `m.handler.map(g, ${HANDLER}).flatten()`,
        })}).map(m, ${celMap({
          probe: 'm.probe',
          numbers: 'm.numbers',
          found: `m.found.map(h, ${celMap({ kind: 'h.kind', fields: 'h.fields', source: 'h.source', doubt: `h.doubt || !${MAY_WORK}` })})`,
        })}).map(m, ${celMap({
          ...{ probe: 'm.probe', numbers: 'm.numbers', found: 'm.found' },
          wanted: 'm.found.filter(h, !h.doubt)',
          doubtful: 'm.found.exists(h, h.doubt)',
        })})`,
      })})`,
  },
  {
    name: 'plain',
    expression: `variables.fitted.map(x, ${celWith('x', KNOWN, {
      readiness: `x.fits.filter(m, m.probe == 'readinessProbe' && !('readinessProbe' in x.c) && !('readinessProbe' in variables.skipped)).map(m, m.wanted.map(h, ${PROBE(timing('m.numbers').F)})).flatten()`,
      liveness: `x.learned ? [] : x.fits.filter(m, m.probe == 'livenessProbe' && !('livenessProbe' in x.c) && !('livenessProbe' in variables.skipped)).map(m, ${withName(LIVENESS, 'threshold', `threshold == 0 ? [] : m.wanted.map(h, ${PROBE('threshold')})`)}).flatten()`,
      starts: `x.fits.filter(m, m.probe == 'startupProbe')`,
      ownLiveness: `x.own.filter(o, o.probe == 'livenessProbe')`,
      ownReadiness: `x.own.filter(o, o.probe == 'readinessProbe')`,
    })})`,
  },
];
export const PLAIN_MEMBERS = [...KNOWN, 'readiness', 'liveness', 'starts', 'ownLiveness', 'ownReadiness'];
