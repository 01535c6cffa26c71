import { answerOf, type AnswerCause } from '../../observer/failing/probe-events.ts';
import { CAUSE_TEXTS } from '../../observer/failing/cause-texts.ts';
import type { Answer } from './answer.ts';
import type { HandlerKind } from '../../engine/probe/probe.ts';

/** Causes that only somebody who asks can tell. The others are those of the observer's rule `probe-failing`. */
const OWN_CAUSES = {
  'loopback-only': {
    problem: 'asks a port that listens on loopback only',
    remedy: 'Let the container listen on 0.0.0.0 or [::]. The kubelet asks the address of the Pod.',
  },
  slow: {
    problem: 'gets its answer late',
    remedy: 'Make the endpoint faster, or set a larger timeoutSeconds.',
  },
  'http2-only': {
    problem: 'asks a port that speaks HTTP/2 without TLS only, and the kubelet asks in HTTP/1.1',
    remedy: 'Let the server answer HTTP/1.1 too, or use tcpSocket.',
  },
  'grpc-tls': {
    problem: 'asks a gRPC port that speaks TLS, and the kubelet speaks none to gRPC before Kubernetes 1.37',
    remedy: 'Serve the health service on a port without TLS, or use tcpSocket.',
  },
  'body-over-10-kib': {
    problem: 'gets an answer of more than 10 KiB, of which the kubelet reads no more',
    remedy: 'Set httpGet.path to a path with a short answer.',
  },
} as const;

/** Why a probe fails or warns. */
export type TryCause = AnswerCause | keyof typeof OWN_CAUSES;

/** What a cause means, and what to do about it: whole sentences. */
export function causeTexts(cause: TryCause): { readonly problem: string; readonly remedy: string } {
  return isOwn(cause) ? OWN_CAUSES[cause] : CAUSE_TEXTS[cause];
}

function isOwn(cause: TryCause): cause is keyof typeof OWN_CAUSES {
  return Object.hasOwn(OWN_CAUSES, cause);
}

/** The exit codes of shells for a program that is missing, or that is no program (POSIX, 2.8.2). */
const NO_PROGRAM: readonly unknown[] = [126, 127];

/** The cause that the kubelet's text alone tells. Undefined for a success without a warning. */
export function causeOfAnswer(answer: Answer, handlerKind?: HandlerKind): TryCause | undefined {
  const { result, text, isLong, isNoRedirect, code } = answer;
  if (result === 'warning') return isNoRedirect === true ? 'http-3xx' : 'redirect-other-host';
  if (result === 'success') return isLong === true ? 'body-over-10-kib' : undefined;
  const cause = answerOf(text);
  if (handlerKind !== 'exec') return cause === 'connection-lost' ? 'other-protocol' : cause;
  // What a command prints about its own connections is no answer to the kubelet.
  if (result === 'error' || NO_PROGRAM.includes(code)) return 'executable-not-found';
  const isOwn = cause === 'executable-not-found' || (cause === 'timeout' && code === undefined);
  return isOwn ? cause : 'command-failed';
}
