import { member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { handlerKindsOf } from './probe.ts';

/** The question of a probe in a few words: `httpGet /healthz on port http`. */
export function handlerText(probe: JsonObject): string {
  const named = handlerKindsOf(probe);
  const kind = named[0];
  if (kind === undefined) return 'no handler';
  const handler = objectMember(probe, kind) ?? {};
  const what = kind === 'exec' ? commandText(handler) : `${addressText(handler)}port ${scalarText(handler, 'port')}`;
  return `${kind} ${what}${named.length > 1 ? ` (and ${named.slice(1).join(', ')})` : ''}`;
}

function commandText(handler: JsonObject): string {
  const command = member(handler, 'command');
  return Array.isArray(command) ? command.map(String).join(' ') : 'without a command';
}

/** Path and host of an httpGet, service of a gRPC probe; ends with `on `. */
function addressText(handler: JsonObject): string {
  const host = scalarText(handler, 'host');
  const words = [scalarText(handler, 'path') || scalarText(handler, 'service'), host && `at ${host}`, 'on '];
  return words.filter((word) => word !== '').join(' ');
}

function scalarText(handler: JsonObject, key: string): string {
  const value = member(handler, key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
