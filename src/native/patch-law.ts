import { INJECTED_ANNOTATION } from '../engine/policy/annotations.ts';
import { PROBE_INTEGERS, PROBE_KINDS } from '../engine/probe/probe.ts';
import { DEFAULT_TIMING } from '../engine/probe/api-defaults.ts';
import { schemeOf } from './handler-law.ts';
import { celMap, celText, oneLine, type CelVariable } from './cel.ts';

/** A probe as it is written: the handler, and the integers that are not the API server's defaults. */
const written = (handler: string, numbers: string): string =>
  `([[dyn(${handler}.kind), dyn(${handler}.fields)]] + [${PROBE_INTEGERS.map(
    (name, at) => `[dyn(${celText(name)}), dyn(${numbers}[${at}])]`,
  ).join(', ')}].filter(n, n[1] > 0)).transformMapEntry(i, n, {n[0]: n[1]})`;

const plain = (kind: string, numbers: string): string =>
  celMap({ kind: celText(kind), source: 'p.handler.source', handler: 'p.handler', numbers });

const KIND_ORDER = `(b.liveness.map(p, ${plain('livenessProbe', `[dyn(p.numbers[0]), dyn(p.numbers[1]), dyn(p.numbers[2]), dyn(p.numbers[3]), dyn(p.numbers[4] > 0 || p.F != ${DEFAULT_TIMING.failureThreshold} ? p.F : 0), dyn(p.numbers[5])]`)}) +
  b.x.readiness.map(p, ${plain('readinessProbe', 'p.numbers')}) +
  b.startup.map(p, ${celMap({
    kind: celText('startupProbe'),
    source: 'p.source',
    handler: 'p.handler',
    numbers:
      '[dyn(p.numbers[0]), dyn(p.numbers[1]), dyn(p.numbers[2]), dyn(p.numbers[3]), dyn(p.numbers[4]), dyn(p.grace)]',
  })}))`;

/**
 * The schemes of all HTTP probes that the container has or may get, also from the webhook alone. Of two probes with
 * different schemes the webhook gives one at most (https-scheme), and CEL cannot tell which.
 */
const SCHEMES = `(x.own.filter(o, o.handlers[0] == 'httpGet').map(o, ${schemeOf('o.spec.httpGet')}) +
  x.fits.map(m, m.found).flatten().filter(h, h.kind == 'httpGet').map(h, h.doubt ? '?' : ${schemeOf('h.fields')}))`;
const AGREES = `[${SCHEMES}].all(s, s.all(one, one == s[0]))`;

/** Why a container gets fewer probes than from the webhook: ids of constructs (constructs.ts). */
const REASONS = `[x.fits.exists(m, m.doubtful) || (x.ownLiveness.size() > 0 && x.likeOwn.size() == 0)].map(doubt, [
  x.learned ? 'learned' : '',
  doubt && (x.told || x.other) ? 'settings' : '',
  doubt && x.product ? 'product-name' : '',
  doubt && x.bare ? 'command-in-image' : '',
  x.merged.exists(m, m.handler.exists(h, !h.usable)) ? 'unusable-handler' : '',
  doubt && x.ownLiveness.exists(o, o.handlers[0] == 'exec') ? 'own-command' : '',
  doubt && (x.ports.exists(p, p.never || p.https || p.plain || p.speaks in ['x', 'k', 'o', 'T', 'a', 'u']) ||
    x.own.exists(o, o.handlers[0] == 'httpGet' && type(o.spec.httpGet.port) == int)) ? 'port-name' : '',
  variables.required ? 'required-probe' : '',
  !${AGREES} ? 'schemes' : ''].filter(r, r != ''))[0]`;

/** Why each container may get fewer probes. No patch needs it, so the API server does not have it. */
export const REASONS_LAW: CelVariable = {
  name: 'reasons',
  expression: `variables.named.map(n, ${celMap({
    list: 'n.list',
    index: 'n.index',
    why: `(variables.known.filter(x, x.key == n.key && x.odd).map(x, ['own-probe']) +
      variables.beside.filter(x, x.key == n.key).map(x, ${REASONS}) + [['size']])[0]`,
  })})`,
};

/** The patch of a Pod, parents first, and its parts. */
export const PATCH_LAW: readonly CelVariable[] = [
  {
    name: 'decided',
    expression: `variables.guarded.filter(b, [b.x].all(x, ${AGREES})).map(b, ${celMap({ key: 'b.x.key', own: 'b.x.own', probes: KIND_ORDER })})
      .filter(b, b.probes.size() > 0 && (!variables.required || (b.own.map(o, o.probe) + b.probes.map(p, p.kind)).size() == ${PROBE_KINDS.length}))
      .map(b, ${celMap({ key: 'b.key', probes: `b.probes.map(p, ${celMap({ kind: 'p.kind', source: 'p.source', value: written('p.handler', 'p.numbers') })})` })})`,
  },
  {
    name: 'injected',
    expression: `variables.named.map(n, variables.decided.filter(d, d.key == n.key).map(d, ${celMap({ list: 'n.list', index: 'n.index', name: 'n.name', probes: 'd.probes' })})).flatten()`,
  },
  {
    name: 'provenance',
    expression: `'{' + variables.injected.map(b, '"' + b.name + '":{' +
      b.probes.map(p, '"' + p.kind + '":"' + p.source + '"').join(',') + '}').join(',') + '}'`,
  },
];

/** The expression of the mutation: a list of JSON patches. */
export const PATCH = oneLine(`variables.injected.size() == 0 ? [] :
  (has(object.metadata.annotations) ? [] : [JSONPatch{op: 'add', path: '/metadata/annotations', value: dyn({})}]) +
  [JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey(${celText(INJECTED_ANNOTATION)}), value: dyn(variables.provenance)}] +
  variables.injected.map(b, b.probes.map(p, JSONPatch{op: 'add', path: '/spec/' + b.list + '/' + string(b.index) + '/' + p.kind,
    value: dyn(p.value)})).flatten()`);
