import { answerOf } from '../../observer/failing/probe-events.ts';
import { CAUSE_TEXTS, type AnswerCause } from '../../observer/failing/causes.ts';
import { NotRun, type Answer } from './answer.ts';
import { askProbe, type Asking } from './ask.ts';
import { probeField, type ProbeToTry } from './planned-probes.ts';
import type { HandlerKind } from '../../engine/probe/probe.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { Handler } from '../../engine/workload/pod.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { AdvisedEdit } from '../output/json-outputs.ts';

/** Causes that only somebody who asks can tell, and answers that nobody knows. The others: rule `probe-failing`. */
const OWN_REMEDIES = {
  'loopback-only': 'Let the container listen on 0.0.0.0 or [::]. The kubelet asks the address of the Pod.',
  slow: 'Make the endpoint faster, or set a larger timeoutSeconds.',
  // The port speaks HTTP/2 without TLS only, and the kubelet asks in HTTP/1.1.
  'http2-only': 'Let the server answer HTTP/1.1 too, or use tcpSocket.',
  // The kubelet speaks no TLS to gRPC before Kubernetes 1.37.
  'grpc-tls': 'Serve the health service on a port without TLS, or use tcpSocket.',
  'login-page':
    'The login page passes even if the application is broken. Set httpGet.path to a path that needs no login.',
  'body-over-10-kib': 'Set httpGet.path to a path with a short answer.',
  'proxy-header':
    'The port expects a PROXY header, which a probe cannot send. Serve the endpoint on a port without the header.',
  unclear: 'The answer breaks off, or is no correct HTTP. Read the log of the container.',
} as const;

const NO_CREDENTIALS =
  'The health service asks for credentials, which a probe cannot send. Exempt it from authentication, or use tcpSocket.';

/** Why a probe fails or warns. */
export type TryCause = AnswerCause | keyof typeof OWN_REMEDIES;

/** What to do about a cause, in whole sentences. */
export function remedyFor(cause: TryCause, answer?: Answer): string {
  if (/code = (?:Unauthenticated|PermissionDenied) /.test(answer?.text ?? '')) return NO_CREDENTIALS;
  return isOwn(cause) ? OWN_REMEDIES[cause] : CAUSE_TEXTS[cause].remedy;
}

function isOwn(cause: TryCause): cause is keyof typeof OWN_REMEDIES {
  return Object.hasOwn(OWN_REMEDIES, cause);
}

/** The exit codes of shells for a program that is missing, or that is no program (POSIX, 2.8.2). */
const NO_PROGRAM: readonly unknown[] = [126, 127];

/** Words of the URLs of login pages, as frameworks and identity providers write them. */
const LOGIN =
  /[/_.-](?:log[-_]?[io]n|sign[-_]?in|sso|oauth2?|openid[-_]connect|saml2?|authorize|sessions?\/new)(?![a-z])/i;

function isLogin(url = ''): boolean {
  return LOGIN.test(URL.parse(url)?.pathname ?? '');
}

/** The cause that the kubelet's text alone tells. Undefined for a success without a warning. */
export function causeOfAnswer(answer: Answer, handlerKind?: HandlerKind): TryCause | undefined {
  const { result, text, isLong, isNoRedirect, redirectedTo, code } = answer;
  if (result === 'warning') return isNoRedirect === true ? 'http-3xx' : 'redirect-other-host';
  if (result === 'success' && isLogin(redirectedTo)) return 'login-page';
  if (result === 'success') return isLong === true ? 'body-over-10-kib' : undefined;
  const cause = answerOf(text);
  if (handlerKind !== 'exec') {
    if (redirectedTo?.startsWith('https:') === true && code === undefined) return 'redirect-https';
    // The head of the answer was HTTP.
    if (result === 'failed-error' && cause !== 'timeout') return 'unclear';
    if (cause === 'connection-lost') return 'other-protocol';
    // The server has answered, whatever its code.
    if (text.startsWith('error: health rpc probe failed') && cause === 'connection-refused') return 'grpc-error';
    return cause === 'command-failed' || cause === 'executable-not-found' ? 'unclear' : cause;
  }
  // What a command prints about its own connections is no answer to the kubelet.
  if (result === 'error' || NO_PROGRAM.includes(code)) return 'executable-not-found';
  const isOwn = cause === 'executable-not-found' || (cause === 'timeout' && code === undefined);
  return isOwn ? cause : 'command-failed';
}

/** Why a probe fails, and what to write. */
export interface Diagnosis {
  readonly cause: TryCause;
  readonly remedy: string;
  /** The remedy as edits of the object. Empty when no value is known to work. */
  readonly edits: readonly AdvisedEdit[];
}

/** What is looked at, and with what. */
export interface Look {
  readonly planned: ProbeToTry;
  readonly answer: Answer;
  readonly asking: Asking;
  readonly cause: TryCause;
  /** The container's port; 0 for a command, and for a name that the container does not declare. */
  readonly port: number;
}

/** Finds what would pass. Undefined when it finds nothing. */
export type Finder = (look: Look) => Promise<Diagnosis | undefined> | Diagnosis | undefined;

/** A diagnosis, by default with the cause of the answer. */
export function diagnosis(
  { cause }: { readonly cause: TryCause },
  remedy: string,
  edits: readonly AdvisedEdit[] = [],
): Diagnosis {
  return { cause, remedy, edits };
}

/** An edit of a field below the probe. */
export function edit({ planned }: Look, path: FieldPath, value: unknown): AdvisedEdit {
  return { path: probeField(planned, ...path), value };
}

/** Replaces the handler of a probe. */
export function replaced(look: Look, handler: JsonObject): AdvisedEdit[] {
  return [
    edit(look, [look.planned.handler.kind], null),
    ...Object.entries(handler).map(([kind, value]) => edit(look, [kind], value)),
  ];
}

/** A question that only looks further waits no longer. */
export const LOOK_SECONDS = 2;

/** Asks with another handler. Undefined where that cannot be asked. */
export async function asked(
  { planned, asking }: Look,
  handler: Handler,
  timeoutSeconds = LOOK_SECONDS,
): Promise<Answer | undefined> {
  const timing = { ...planned.timing, timeoutSeconds };
  const answer = await askProbe({ ...planned, handler, timing }, asking);
  return answer instanceof NotRun ? undefined : answer;
}
