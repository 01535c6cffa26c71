/** The result that a failing probe got, as far as the kubelet's text shows it. */
export const ANSWER_CAUSES = [
  'http-400',
  'http-401',
  'http-403',
  'http-404',
  'http-3xx',
  'http-4xx',
  'http-5xx',
  'redirect-other-host',
  'connection-refused',
  'unreachable',
  'timeout',
  'tls-mismatch',
  'tls-handshake',
  'other-protocol',
  'executable-not-found',
  'command-failed',
  'grpc-unhealthy',
  'grpc-unimplemented',
  'port-name-undeclared',
  'unclear',
] as const;
export type AnswerCause = (typeof ANSWER_CAUSES)[number];

interface Rule {
  readonly cause: AnswerCause;
  readonly pattern: RegExp;
}

/**
 * The texts, in the order in which they are tried. Sources: pkg/probe/http, tcp, grpc and exec; Go's net, net/http and
 * crypto/tls; runc and the shells for commands. A Go error has its cause at the end, so texts of causes come first.
 */
const RULES: readonly Rule[] = [
  // pkg/probe/util.go: the name is taken for a number when no port has the name.
  { cause: 'port-name-undeclared', pattern: /^strconv\.(?:Atoi|ParseInt): parsing "|^couldn't find port: / },
  // runc: `exec: "curl": executable file not found in $PATH`, `exec: "/bin/x": stat /bin/x: no such file or directory`.
  {
    cause: 'executable-not-found',
    pattern: /executable file not found in \$PATH|exec: \\*"[^"\n]*": (?:stat [^\n]*: )?no such file or directory/,
  },
  // A shell that cannot find the command: `sh: 1: curl: not found`, `/bin/sh: curl: command not found`.
  {
    cause: 'executable-not-found',
    pattern: /(?:^|\n)(?:\S*\/)?(?:ba|da|a|z|k)?sh: (?:(?:line )?\d+: )?[^\s:]+: (?:command )?not found\s*$/m,
  },
  // The connection broke, or there was none: the health service said nothing.
  { cause: 'connection-refused', pattern: /^error: health rpc probe failed: rpc error: code = Unavailable / },
  { cause: 'grpc-unimplemented', pattern: /^error: this server does not implement the grpc health protocol/ },
  { cause: 'grpc-unhealthy', pattern: /^service unhealthy \(responded with |^error: health rpc probe failed: / },
  {
    cause: 'timeout',
    pattern: /^timeout: health rpc did not complete|^command timed out: |^command "[^\n]*" timed out/,
  },
  // grpc: a refused connection is tried again until the timeout.
  {
    cause: 'connection-refused',
    pattern: /^timeout: failed to connect service |^error: failed to connect service at /,
  },
  { cause: 'tls-mismatch', pattern: /server gave HTTP response to HTTPS client|first record does not look like a TLS/ },
  // A TLS alert: content type 0x15, version 0x03.
  { cause: 'tls-mismatch', pattern: /malformed HTTP response "\\x15\\x03/ },
  { cause: 'other-protocol', pattern: /malformed HTTP (?:response|status code|version)/ },
  { cause: 'tls-handshake', pattern: /remote error: tls: |tls: (?!.*timeout)/ },
  { cause: 'http-3xx', pattern: /stopped after \d+ redirects/ },
  { cause: 'connection-refused', pattern: /connection refused$/m },
  {
    cause: 'unreachable',
    pattern: /no route to host|network is unreachable|host is down|no such host|server misbehaving/,
  },
  {
    cause: 'timeout',
    pattern: /context deadline exceeded|Client\.Timeout exceeded|i\/o timeout|request canceled|TLS handshake timeout/,
  },
];
/** The server closed the connection before it answered. */
const LOST = /: EOF$|connection reset by peer|server closed idle connection/m;

/** pkg/probe/http/http.go */
const STATUS_CODE = /^HTTP probe failed with statuscode: (\d{3})/;
/** The text of a transport error begins with the request, the text of a dial with the dial. */
const TRANSPORT = /^(?:Get |dial |rpc error: |read |write )/;

/** The kubelet's own words come first. What follows may be the output of a command, as long as its author likes. */
const MOST_READ = 2000;

/**
 * The answer that a text of the kubelet tells: the text behind "probe failed: " or "probe errored ...: ".
 * `connection-lost`: the connection broke before an answer came. A server of another protocol does this, and so does
 * every server that ends.
 */
export function answerOf(whole: string): AnswerCause | 'connection-lost' {
  const text = whole.slice(0, MOST_READ);
  const status = STATUS_CODE.exec(text)?.[1];
  if (status !== undefined) return causeOfStatus(Number(status));
  const rule = RULES.find(({ pattern }) => pattern.test(text));
  if (rule !== undefined) return rule.cause;
  if (LOST.test(text)) return TRANSPORT.test(text) ? 'connection-lost' : 'other-protocol';
  // Any other text is what a command printed before it failed, which is often nothing.
  return TRANSPORT.test(text) ? 'unclear' : 'command-failed';
}

function causeOfStatus(status: number): AnswerCause {
  const own = ([400, 401, 403, 404] as const).find((one) => one === status);
  if (own !== undefined) return `http-${own}`;
  return status >= 500 ? 'http-5xx' : status >= 400 ? 'http-4xx' : status >= 300 ? 'http-3xx' : 'unclear';
}
