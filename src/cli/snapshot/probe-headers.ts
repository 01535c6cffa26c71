import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** Headers whose values are credentials. */
const CREDENTIALS = /^(?:proxy-)?authorization$|^cookie$|token|secret|password|api-?key|credential/i;

const LETTERS = 'xyzabcdefghijklmnopqrstuvw'.split('');

/**
 * Masks credentials in the headers of one container's probes. Different values stay different, lengths stay, and
 * control characters stay, because checks compare values and look for control characters.
 */
export class CredentialMask {
  readonly #maskOf = new Map<string, string>();
  readonly #used = new Set<string>();

  /** @param probe a probe as the API has it */
  masked(probe: unknown): unknown {
    const httpGet = isJsonObject(probe) ? objectMember(probe, 'httpGet') : undefined;
    const headers = httpGet && member(httpGet, 'httpHeaders');
    if (!isJsonObject(probe) || !Array.isArray(headers)) return probe;
    const masked = (headers as unknown[]).map((header) => (isJsonObject(header) ? this.#header(header) : header));
    return { ...probe, httpGet: { ...httpGet, httpHeaders: masked } };
  }

  #header(header: JsonObject): JsonObject {
    const value = stringMember(header, 'value');
    if (value === undefined || !CREDENTIALS.test(stringMember(header, 'name') ?? '')) return header;
    return { ...header, value: this.#mask(value) };
  }

  #mask(value: string): string {
    const known = this.#maskOf.get(value);
    if (known !== undefined) return known;
    const masks = LETTERS.map((letter) => value.replace(/\P{Cc}/gu, letter));
    const mask = masks.find((each) => !this.#used.has(each)) ?? masks[0] ?? '';
    this.#used.add(mask);
    this.#maskOf.set(value, mask);
    return mask;
  }
}
