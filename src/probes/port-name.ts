/** The syntax of a port name: IANA_SVC_NAME (apimachinery, util/validation, IsValidPortName). */
export function isPortName(text: string): boolean {
  return /^[a-z0-9-]{1,15}$/.test(text) && /[a-z]/.test(text) && !/^-|--|-$/.test(text);
}
