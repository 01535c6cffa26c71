import { optionsOf } from './words.ts';

/** How a client of HTTP or TCP reads its options. */
export interface ClientOptions {
  /** The letters and the long options whose value may be the next word. */
  readonly letters: string;
  readonly long: RegExp;
  /** What changes nothing that a probe reads: output, limits of time, and certificates to skip. */
  readonly plain: RegExp;
  /** What changes the request, and neither sends a body nor saves the answer. */
  readonly request: RegExp;
  /** The options that limit its time, in seconds. */
  readonly limit?: RegExp;
}

/** Options of curl (its manual page). */
export const CURL: ClientOptions = {
  letters: 'AbCcDdEeFHhKmoPQrTtUuwXxYyz',
  long: /^--(?:output|max-time|connect-timeout|write-out|user-agent|retry|retry-delay|retry-max-time|noproxy)$/,
  plain:
    /^(?:-[fsSkLIivgN046omwA]|--(?:fail|fail-with-body|silent|show-error|insecure|location|include|head|verbose|globoff|no-buffer|http1\.[01]|ipv[46]|compressed|no-progress-meter|url|output|max-time|connect-timeout|write-out|user-agent|retry|retry-delay|retry-max-time|noproxy))$/,
  request:
    /^(?:-[Gq#1HUuebxrEyY]|--(?:fail\w*|get|header|user|referer|retry[a-z-]*|ca\w+|cert|cert-type|key|key-type|pass|proxy|resolve|connect-to|unix-socket|http[\d.]+|tlsv1\S*|oauth2-bearer|basic|digest|max-redirs))$/,
  limit: /^(?:-m|--max-time)$/,
};

/** Options of wget of GNU and of BusyBox. */
export const WGET: ClientOptions = {
  letters: 'OoaTtPiUYwQADIXlB',
  long: /^--(?:output-document|timeout|tries|user-agent|proxy)$/,
  plain:
    /^(?:-[nqSv46OTtY]|--(?:quiet|no-verbose|verbose|spider|server-response|no-check-certificate|inet[46]-only|no-proxy|output-document|timeout|tries|user-agent|proxy))$/,
  request: /^(?:-[dU]|--(?:header|user|password|no-cache|ca-certificate|certificate|private-key|max-redirect))$/,
  limit: /^(?:-T|--timeout)$/,
};

/** Options of the netcats of OpenBSD, Nmap and BusyBox. */
export const NETCAT: ClientOptions = {
  letters: 'wiGq',
  long: /^$/,
  plain: /^-[zvnN46wiGq]$/,
  request: /^$/,
};

const MOST_WORDS = 100;

/** The words of a client that are no options. None when an option changes the request. */
export function plainOperands(words: readonly string[], { letters, long, plain }: ClientOptions): string[] {
  if (words.length > MOST_WORDS) return [];
  const options = optionsOf(words, letters, long);
  const isPlain = options.every(({ name }) => name === undefined || plain.test(name));
  return isPlain ? options.flatMap(({ name, value }) => (name === undefined ? [value] : [])) : [];
}
