/** Most characters of a port name. */
export const LONGEST_PORT_NAME = 15;

/** The syntax of a port name: IANA_SVC_NAME (apimachinery, util/validation, IsValidPortName). */
export function isPortName(text: string): boolean {
  return text.length <= LONGEST_PORT_NAME && /^[a-z0-9-]+$/.test(text) && /[a-z]/.test(text) && !/^-|--|-$/.test(text);
}
