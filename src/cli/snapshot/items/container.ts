import { isJsonObject, jsonOf, member, stringMember, type JsonObject } from '../../../base/json/json-value.ts';
import { withoutDigest } from '../../../engine/command/image.ts';
import { namesCredential } from '../../../engine/command/settings.ts';
import { CONTAINER_TYPE, PROBE_TYPE } from '../../../engine/probe/api-schema.ts';
import { PROBE_KINDS } from '../../../engine/probe/probe.ts';
import { isMeshProxyName, REDIRECTED_PROBES } from '../../../engine/workload/mesh.ts';
import { mountsOf } from '../../../engine/workload/read-container.ts';
import { isMountForTls } from '../../../engine/port/tls.ts';
import { objectsAt, textAt, valuesAt, withEdits } from '../../../base/json/field-path.ts';
import { bare, declaredPart, listPart, objectPart, pick, scalar, scalars, type ItemPart } from './parts.ts';
import { TextPart } from './text-part.ts';

/** Fields that are copied as far as the API has them. None of them holds a value of the application. */
const COPIED = ['name', 'ports', 'restartPolicy', 'restartPolicyRules'];
const COPIED_PARTS = Object.fromEntries(
  COPIED.flatMap((name) => {
    const type = CONTAINER_TYPE.fields.get(name);
    return type === undefined ? [] : [[name, declaredPart(type)] as const];
  }),
);
const PROBE_PART = declaredPart(PROBE_TYPE);

/** The API server asks only whether there is a text. */
const presence: ItemPart = (value) => (typeof value === 'string' && value !== '' ? 'x' : bare(value, 0));

/** Fields that an ephemeral container may not have: whether they are set. */
const OF_EPHEMERAL = {
  resizePolicy: bare,
  resources: (value: unknown) =>
    isJsonObject(value) ? pick(value, { limits: bare, requests: bare, claims: bare }) : undefined,
  targetContainerName: (value: unknown) => (typeof value === 'string' ? value : undefined),
};

const textPart =
  (part: (text: string) => unknown): ItemPart =>
  (value) =>
    typeof value === 'string' ? part(value) : bare(value, 0);

/**
 * Returns the part of a container that verdicts depend on: fields of the API, probes with masked credentials, and the
 * shape of commands and variables.
 *
 * @param list the list of the Pod spec in which the container stands
 * @param names names of objects that leave
 */
export function containerPart(
  written: JsonObject,
  podSpec: JsonObject,
  list: string,
  names: readonly string[],
): JsonObject {
  const mask = credentialMask();
  const probe: ItemPart = (value) => mask(PROBE_PART(value, 0));
  const part = pick(written, {
    ...COPIED_PARTS,
    image: (image) => (typeof image === 'string' ? withoutDigest(image) : scalar(image, 0)),
    workingDir: bare,
    ...Object.fromEntries(PROBE_KINDS.map((kind) => [kind, probe])),
    volumeMounts: () => (mountsOf(podSpec, written).some(isMountForTls) ? [{ name: 'tls' }] : undefined),
    ...(list === 'ephemeralContainers' && OF_EPHEMERAL),
  });
  const variables = objectsAt(written, 'env').flatMap((entry) => stringMember(entry, 'name') ?? []);
  const leaving = new Set([...names, ...variables, ...(JSON.stringify(part).match(/[\w-]+/g) ?? [])]);
  const line = new TextPart(leaving);
  const command = listPart(textPart((text) => line.word(text)));
  const isProxy = isMeshProxyName(stringMember(written, 'name') ?? '');
  const valueOf = (name: string, value: string): string =>
    // They are judged in the place of the redirected probes.
    isProxy && name === REDIRECTED_PROBES
      ? JSON.stringify(redirectedPart(value, probe))
      : new TextPart(leaving).value(name, value);
  return {
    ...part,
    ...pick(written, {
      ...{ command, args: command },
      env: listPart((entry) => (isJsonObject(entry) ? variablePart(entry, valueOf) : bare(entry, 0))),
      lifecycle: lifecyclePart(listPart(textPart((text) => line.word(text)))),
    }),
  };
}

function variablePart(entry: JsonObject, valueOf: (name: string, value: string) => string): JsonObject {
  const isOptional = (reference: JsonObject): boolean =>
    Object.values(reference).some((key) => isJsonObject(key) && member(key, 'optional') === true);
  return pick(entry, {
    name: scalar,
    value: textPart((value) => valueOf(stringMember(entry, 'name') ?? '', value)),
    valueFrom: (value) =>
      isJsonObject(value) && isOptional(value) ? { configMapKeyRef: { optional: true } } : bare(value, 0),
  });
}

/** The handlers of hooks, with the shape of commands, and without paths, hosts and values of headers. */
function lifecyclePart(command: ItemPart): ItemPart {
  const handler = objectPart({
    ...scalars('port', 'scheme', 'protocol', 'seconds'),
    ...{ path: presence, host: presence, command },
    httpHeaders: listPart(objectPart({ name: scalar, value: bare })),
  });
  const hook = objectPart({ exec: handler, httpGet: handler, tcpSocket: handler, sleep: handler });
  return objectPart({ stopSignal: scalar, postStart: hook, preStop: hook });
}

function redirectedPart(text: string, probe: ItemPart): JsonObject {
  const listed = jsonOf(text);
  const paths = Object.keys(isJsonObject(listed) ? listed : {}).filter((path) => path.startsWith('/app-health/'));
  return isJsonObject(listed) ? pick(listed, Object.fromEntries(paths.map((path) => [path, probe]))) : {};
}

const LETTERS = 'xyzabcdefghijklmnopqrstuvw'.split('');

/**
 * Returns a function that masks credentials in the headers of one container's probes. Different values stay different,
 * lengths stay, and control characters stay, because checks compare values and look for control characters.
 */
function credentialMask(): (probe: unknown) => unknown {
  const masks = new Map<string, string>();
  const maskOf = (value: string): string => {
    const possible = LETTERS.map((letter) => value.replace(/\P{Cc}/gu, letter));
    const mask = masks.get(value) ?? possible.find((each) => ![...masks.values()].includes(each)) ?? '';
    masks.set(value, mask);
    return mask;
  };
  return (probe) => {
    const headers = valuesAt(probe, ['httpGet', 'httpHeaders', '*']);
    const edits = headers.flatMap(({ value: header, path }) => {
      const value = textAt(header, 'value');
      const isCredential = value !== undefined && namesCredential(textAt(header, 'name') ?? '');
      return isCredential ? [{ path: [...path, 'value'], value: maskOf(value) }] : [];
    });
    return withEdits(probe, edits);
  };
}
