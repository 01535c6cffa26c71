import type { AdmissionReviewReply } from '../review/response.ts';

/**
 * The JSON text of a reply. A patch is base64, which needs no escapes, so the text takes the patch as the patch is:
 * JSON.stringify would look at each character, which doubles the time.
 */
export function replyText(reply: AdmissionReviewReply): string {
  const { patch, ...response } = reply.response;
  if (patch === undefined) return JSON.stringify(reply);
  const { apiVersion, kind } = reply;
  // The text ends with the braces of the response and of the reply.
  return `${JSON.stringify({ apiVersion, kind, response }).slice(0, -2)},"patch":"${patch}"}}`;
}
