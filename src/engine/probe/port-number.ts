/** The highest port number (apimachinery, util/validation, IsValidPortNum). The lowest is 1. */
export const HIGHEST_PORT = 65_535;

/** True for a port number: 1 to 65535. */
export function isPortNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= HIGHEST_PORT;
}
