import { MESH_LABEL } from '../engine/defaulting/debug-copy.ts';
import {
  ANNOTATION_PREFIX,
  ANNOTATION_SOURCE,
  endpointAnnotation,
  INJECTED_ANNOTATION,
  OPT_OUT_LABEL,
  OPT_OUT_VALUE,
  CONTAINERS_ANNOTATION,
  SKIP_ANNOTATION,
  STARTUP_SECONDS_ANNOTATION,
  TOTAL_ANNOTATION_BYTES,
} from '../engine/policy/annotations.ts';
import { PATH_BOUND } from '../engine/policy/probe-policy.ts';
import { PROBE_KINDS } from '../engine/probe/probe.ts';
import { HANDLER_KINDS } from '../engine/probe/probe.ts';
import { MOST_COMMAND_CHARACTERS } from '../engine/workload/command-reader.ts';
import { MOST_TEXT_CHARACTERS } from '../engine/workload/bounded-container.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../engine/workload/main-container.ts';
import { ISTIO_PROXY, MESH_PROXIES, REWRITE_ANNOTATION } from '../engine/workload/mesh.ts';
import { MAX_CONTAINERS, MAX_ELEMENTS } from '../engine/workload/size-limits.ts';
import { celList, celMap, celPattern, celText, type CelVariable } from './cel.ts';
import { LARGEST_SECONDS } from './namespace-layers.ts';

const KINDS = celList(PROBE_KINDS);
const HANDLERS = celList(HANDLER_KINDS);
const REDIRECTING = [...MESH_PROXIES].filter(([, { redirects }]) => redirects).map(([name]) => name);

const has = (object: string, field: string, otherwise: string): string =>
  `(has(${object}.${field}) ? ${object}.${field} : ${otherwise})`;

/** True where labels meet the requirements of a selector. */
export const meets = (requirements: string, labels: string): string =>
  `${requirements}.all(r, r.operator == 'In' ? r.key in ${labels} && ${labels}[r.key] in r.values
    : r.operator == 'NotIn' ? !(r.key in ${labels} && ${labels}[r.key] in r.values)
    : r.operator == 'Exists' ? r.key in ${labels} : !(r.key in ${labels}))`;

/** An annotation of the workload; empty where it is absent, or where policies ignore annotations. */
const own = (name: string): string =>
  `(variables.mayAnnotate && ${celText(name)} in variables.annotations ? variables.annotations[${celText(name)}] : '')`;

const endpoint = (kind: (typeof PROBE_KINDS)[number]): string =>
  celMap({
    probe: celText(kind),
    path: own(endpointAnnotation(kind)),
  });

/** Everything of a container that the engine's limit of elements counts. */
const elements = `variables.all.map(c,
  ${['ports', 'restartPolicyRules', 'command', 'args', 'env'].map((field) => has('c', field, '[]')).join(' + ')} +
  (${KINDS}.filter(k, k in c).map(k, c[k]) + (has(c.lifecycle) ? ['postStart', 'preStop'].filter(k, k in c.lifecycle).map(k, c.lifecycle[k]) : []))
  .map(p, p.map(f, dyn(f)) + ${HANDLERS}.filter(h, h in p).map(h, p[h].map(f, dyn(f)) + ${has('p[h]', 'httpHeaders', '[]').replace('has(p[h].httpHeaders)', "'httpHeaders' in p[h]")} + ${has('p[h]', 'command', '[]').replace('has(p[h].command)', "'command' in p[h]")}).flatten()).flatten()
  ).flatten().size()`;

/** Signs of a script, each of which counts as eight characters more (command-reader.ts). */
const OPERATORS = [';', '&', '|', '(', '`', '\n'];

/**
 * What the native policy finds out about a Pod: its labels and annotations, the layers that select it, and why it gets
 * nothing. A refusal is the id of a construct (constructs.ts).
 */
export const POD_LAW: readonly CelVariable[] = [
  { name: 'labels', expression: has('object.metadata', 'labels', '{}') },
  { name: 'annotations', expression: has('object.metadata', 'annotations', '{}') },
  { name: 'namespaceLabels', expression: has('namespaceObject.metadata', 'labels', '{}') },
  {
    name: 'selected',
    expression: `params.spec.layers.filter(l, ${meets('l.namespaceSelector', 'variables.namespaceLabels')} &&
      ${meets('l.workloadSelector', 'variables.labels')})`,
  },
  {
    name: 'services',
    expression: `params.spec.services.filter(s, s.labels.all(k, k in variables.labels && variables.labels[k] == s.labels[k]))`,
  },
  { name: 'otherPorts', expression: 'variables.services.map(s, s.other).flatten()' },
  { name: 'noTcpPorts', expression: 'variables.services.map(s, s.noTcp).flatten()' },
  {
    name: 'required',
    expression: `variables.selected.exists(l, has(l.requires)) && variables.selected.exists(l, l.source.startsWith('ProbePolicy/'))`,
  },
  {
    name: 'mayAnnotate',
    expression: `(variables.selected.filter(l, has(l.annotations)).map(l, l.annotations) + ['Allow'])[0] == 'Allow'`,
  },
  {
    name: 'endpoints',
    expression: `[${PROBE_KINDS.map(endpoint).join(', ')}].filter(e,
      e.path.matches('^/[!-~]*$') && e.path.size() <= ${PATH_BOUND.maximum})`,
  },
  { name: 'startupText', expression: `${own(STARTUP_SECONDS_ANNOTATION)}.trim()` },
  {
    name: 'annotatedSeconds',
    expression: `(variables.startupText.matches('^[0-9]{1,10}$') ? [int(variables.startupText)] : [])
      .filter(s, s >= 1 && s <= 2147483647)`,
  },
  {
    name: 'layers',
    expression: `[${celMap({
      source: celText(ANNOTATION_SOURCE),
      aimed: 'true',
      containers: '[]',
      images: '[]',
      probes: `variables.endpoints.map(e, ${celMap({
        probe: 'e.probe',
        removed: 'false',
        integers: '{}',
        handler: celMap({
          kind: "'httpGet'",
          fields: "{'path': e.path}",
          usable: String.raw`!e.path.matches('\\$[({]|\\{\\{')`,
          tools: 'false',
        }),
      })})`,
    })}] + variables.annotatedSeconds.map(s, ${celMap({
      source: celText(ANNOTATION_SOURCE),
      aimed: 'true',
      containers: '[]',
      images: '[]',
      probes: '[]',
      startupSeconds: 's',
    })}) + variables.selected`,
  },
  { name: 'skipWords', expression: `${own(SKIP_ANNOTATION)}.split(',').map(w, w.trim())` },
  {
    name: 'skipped',
    expression: `variables.skipWords == ['all'] ? ${KINDS}
      : variables.skipWords.all(w, (w + 'Probe') in ${KINDS}) ? variables.skipWords.map(w, w + 'Probe') : []`,
  },
  { name: 'containerWords', expression: `${own(CONTAINERS_ANNOTATION)}.split(',').map(w, w.trim())` },
  {
    name: 'all',
    expression: `${has('object.spec', 'containers', '[]')} + ${has('object.spec', 'initContainers', '[]')} +
      ${has('object.spec', 'ephemeralContainers', '[]')}`,
  },
  {
    name: 'commandText',
    expression: `variables.all.map(c, ${has('c', 'command', '[]')} + ${has('c', 'args', '[]')} +
      ${KINDS}.filter(k, k in c && 'exec' in c[k] && 'command' in c[k].exec).map(k, c[k].exec.command).flatten()
      ).flatten().map(t, string(t)).join(' ')`,
  },
  {
    name: 'applies',
    expression: `!(${celText(OPT_OUT_LABEL)} in variables.labels && variables.labels[${celText(OPT_OUT_LABEL)}] == ${celText(OPT_OUT_VALUE)}) &&
      ${has('object.spec', 'restartPolicy', "'Always'")} == 'Always' &&
      (${has('object.metadata', 'ownerReferences', '[]')}.size() > 0 ||
      !variables.labels.all(l, l.matches(${celPattern(MESH_LABEL)})))`,
  },
  {
    name: 'refusals',
    expression: `[
      variables.selected.exists(l, has(l.closed)) ? 'closed-layer' : '',
      ${celText(INJECTED_ANNOTATION)} in variables.annotations ? 'injected-earlier' : '',
      variables.annotations.exists(a, a.startsWith(${celText(ANNOTATION_PREFIX)}) && !variables.annotations[a].matches('^[ -~]*$')) ||
      variables.annotations.map(a, a + variables.annotations[a]).join('').size() > ${TOTAL_ANNOTATION_BYTES / 8} ||
      variables.annotatedSeconds.exists(s, s > ${LARGEST_SECONDS}) ? 'annotations' : '',
      has(object.status) && (has(object.status.podIP) || has(object.status.podIPs)) ? 'status' : '',
      (${celText(REWRITE_ANNOTATION)} in variables.annotations && !(variables.annotations[${celText(REWRITE_ANNOTATION)}] in ['1', 't', 'T', 'true', 'TRUE', 'True'])) ||
      variables.all.exists(c, (c.name in ${celList(REDIRECTING)} && ${has('c', 'image', "''")} != 'auto') ||
      (c.name == ${celText(ISTIO_PROXY)} && has(c.env))) ? 'mesh' : '',
      variables.all.size() > ${MAX_CONTAINERS} || ${elements} > ${MAX_ELEMENTS} ||
      variables.commandText.size() + 8 * (${OPERATORS.map((sign) => `variables.commandText.split(${celText(sign)}).size()`).join(' + ')}) > ${MOST_COMMAND_CHARACTERS / 2} ||
      variables.all.exists(c, (${has('c', 'command', '[]')} + ${has('c', 'args', '[]')}).exists(t, t.size() >= ${MOST_TEXT_CHARACTERS}) ||
      ${has('c', 'env', '[]')}.exists(e, has(e.value) && e.value.size() >= ${MOST_TEXT_CHARACTERS}) ||
      (${has('c', 'command', '[]')} + ${has('c', 'args', '[]')}).size() > 1000 || ${has('c', 'env', '[]')}.size() > 1000 ||
      ${has('c', 'image', "''")}.size() > 255) ? 'size' : ''].filter(r, r != '')`,
  },
  {
    name: 'placed',
    expression: `!variables.applies || variables.refusals.size() > 0 ? [] :
      (lists.range(object.spec.containers.size()).map(i, ${celMap({ list: "'containers'", index: 'i', c: 'object.spec.containers[i]', sidecar: 'false' })}) +
      lists.range(${has('object.spec', 'initContainers', '[]')}.size()).map(i, ${celMap({ list: "'initContainers'", index: 'i', c: 'object.spec.initContainers[i]', sidecar: 'true' })})
      .filter(x, has(x.c.restartPolicy) && x.c.restartPolicy == 'Always'))
      .filter(x, !(x.c.name in ${celList([...MESH_PROXIES.keys()])}) && x.c.name != '')`,
  },
  {
    name: 'mainNames',
    expression: `!('' in variables.containerWords) ? variables.containerWords
      : ${celText(DEFAULT_CONTAINER_ANNOTATION)} in variables.annotations && variables.annotations[${celText(DEFAULT_CONTAINER_ANNOTATION)}] != ''
      ? variables.placed.filter(x, !x.sidecar && x.c.name == variables.annotations[${celText(DEFAULT_CONTAINER_ANNOTATION)}]).map(x, x.c.name)
      : variables.placed.filter(x, !x.sidecar && ${has('x.c', 'ports', '[]')}.exists(p, !has(p.protocol) || p.protocol in ['TCP', ''])).map(x, x.c.name)`,
  },
  {
    name: 'main',
    expression: `'' in variables.containerWords && variables.mainNames.size() != 1 ? [] : variables.mainNames`,
  },
];
