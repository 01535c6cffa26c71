import { objectMember, type JsonObject } from '../../src/base/json/json-value.ts';

/** Type, reason and text of an Event, without names, addresses, ids and times. */
export function maskedEvent(event: JsonObject): string {
  const { name, namespace, uid } = objectMember(event, 'involvedObject') ?? {};
  return [event['type'], event['reason'], maskedText(String(event['message']), { name, namespace, uid })].join(' | ');
}

function maskedText(text: string, { name, namespace, uid }: JsonObject): string {
  return (
    text
      .replaceAll(String(name), '<pod>')
      .replaceAll(`_${String(namespace)}(`, '_<namespace>(')
      .replaceAll(String(uid), '<uid>')
      .replace(/^\(combined from similar events\): /, '')
      .replace(/[0-9a-f]{64}/g, '<id>')
      .replace(/(?:127\.\d+|10\.244)\.\d+\.\d+(?::\d+)?/g, '<address>')
      .replace(/\b(?:\d+m)?\d+s\b/g, '<time>')
      // containerd has one word more than the recorded runtime.
      .replace(/: unknown$/, '')
  );
}

/** What a status has: its fields, the conditions in their order, and what each container says. No names, times or ids. */
export function statusShape(status: JsonObject): string[] {
  const conditions = (status['conditions'] ?? []) as readonly JsonObject[];
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap(
    (list) => (status[list] ?? []) as readonly JsonObject[],
  );
  return [
    `fields: ${Object.keys(status).sort().join(' ')}`,
    `conditions: ${conditions.map(({ type }) => String(type)).join(' ')}`,
    ...conditions.map((one) => `condition ${Object.keys(one).sort().join(' ')}: ${valuesOf(one)}`),
    ...containers.map((one) => `container ${containerShape(one)}`),
  ];
}

function valuesOf({ type, status, reason }: JsonObject): string {
  return [type, status, reason ?? ''].map(String).join(' ').trim();
}

function containerShape(one: JsonObject): string {
  const said = `started=${String(one['started'])} ready=${String(one['ready'])}`;
  return `${Object.keys(one).sort().join(' ')}: ${stateShape(one, 'state')}; ${stateShape(one, 'lastState')}; ${said}`;
}

function stateShape(one: JsonObject, field: string): string {
  const [entry] = Object.entries((one[field] ?? {}) as Readonly<Record<string, JsonObject>>);
  if (entry === undefined) return 'nothing';
  const [kind, content] = entry;
  return `${kind}(${Object.keys(content).sort().join(' ')}${'reason' in content ? ` = ${String(content['reason'])}` : ''})`;
}
