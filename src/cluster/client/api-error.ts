import { cut } from '../../base/text/cut.ts';
import { isRecord } from './kubernetes-object.ts';

/** The API server's refusal of a request, from the meta/v1 Status that it answered. */
export class ApiError extends Error {
  /** HTTP status code. */
  readonly code: number;
  /** meta/v1 StatusReason, for example `Conflict`; empty when the answer was no Status. */
  readonly reason: string;
  /** How long the API server asks to be left alone, from its Retry-After. */
  readonly retryAfterMilliseconds: number;

  constructor(code: number, reason: string, message: string, retryAfterMilliseconds = 0) {
    super(message);
    this.retryAfterMilliseconds = retryAfterMilliseconds;
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
  }

  /** The error that an answer's body tells of. `what` says which request it was: `GET /api/v1/namespaces`. */
  static fromBody(code: number, body: string, what: string, retryAfter?: string): ApiError {
    const wait = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0;
    const status = parsed(body);
    if (!isRecord(status) || status['kind'] !== 'Status')
      return new ApiError(code, '', `${what}: HTTP ${code}${body === '' ? '' : `: ${cut(body, 200)}`}`, wait);
    const { reason, message } = ApiError.fromStatus(status, what, code);
    return new ApiError(code, reason, message, wait);
  }

  /** The error in a Status object, which also ends a watch. */
  static fromStatus(status: Readonly<Record<string, unknown>>, what: string, code?: number): ApiError {
    const given = typeof status['code'] === 'number' ? status['code'] : 500;
    const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
    const message = typeof status['message'] === 'string' ? status['message'] : 'no message';
    return new ApiError(code ?? given, reason, `${what}: HTTP ${code ?? given} ${reason}: ${message}`);
  }
}

/** True when the API server refused for this reason: `hasCode(error, 409)`. */
export function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.code === code;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
