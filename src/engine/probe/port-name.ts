/** Most characters of a port name. */
export const LONGEST_PORT_NAME = 15;

/** Letters, digits and single hyphens in between, with at least one letter. */
const PORT_NAME = /^(?=[0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The syntax of a port name: IANA_SVC_NAME (apimachinery, util/validation, IsValidPortName). */
export function isPortName(text: string): boolean {
  return text.length <= LONGEST_PORT_NAME && PORT_NAME.test(text);
}
