/** The media type of all answers in JSON. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';
