/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment variable of a flag: `PROBEWRIGHT_HEALTH_PORT` for `health-port`. */
export function variableOf(flag: string): string {
  return `PROBEWRIGHT_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * A service link such as `tcp://10.96.0.7:443`. A kubelet sets such variables for a Service in each Pod of the
 * Service's namespace.
 */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//;

/**
 * Returns the value of a flag's environment variable. An empty variable counts as absent. A service link counts as
 * absent too: for a Service named probewright, the kubelet sets PROBEWRIGHT_PORT to an address.
 */
export function valueFromEnvironment(flag: string, environment: Environment): string | undefined {
  const value = environment[variableOf(flag)];
  return value === undefined || value === '' || SERVICE_LINK.test(value) ? undefined : value;
}
