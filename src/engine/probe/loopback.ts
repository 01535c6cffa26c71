/** An address that only programs of the same Pod reach, or of the node for the kubelet. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** True for `localhost`, `127.0.0.1` and the other names of the own host. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
