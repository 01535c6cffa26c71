import { createHash } from 'node:crypto';

/** A page as it is sent. */
export interface CachedPage {
  readonly body: Buffer;
  /** For `If-None-Match`, with its quotation marks. */
  readonly etag: string;
}

/** Time from one rendering to the next, in milliseconds. */
export const PAGE_LIFETIME = 30_000;

/**
 * Renders a page when somebody asks for it, and at most every 30 s, whatever the load is: the result of a rendering
 * is also the answer to all who ask during the rendering, and so is its failure.
 */
export class PageCache {
  readonly #render: () => Promise<string | undefined>;
  readonly #monotonic: () => number;
  #page: Promise<CachedPage | undefined> | undefined;
  #begun = 0;

  /**
   * @param render resolves with undefined while there is nothing to show yet
   * @param monotonic a clock that never goes back, in milliseconds
   */
  constructor(render: () => Promise<string | undefined>, monotonic: () => number) {
    this.#render = render;
    this.#monotonic = monotonic;
  }

  /** The page, at most 30 s old when nobody else has asked for it in between. */
  get(): Promise<CachedPage | undefined> {
    const now = this.#monotonic();
    if (this.#page === undefined || now - this.#begun >= PAGE_LIFETIME) {
      this.#begun = now;
      this.#page = this.#rendered();
    }
    return this.#page;
  }

  async #rendered(): Promise<CachedPage | undefined> {
    const body = await this.#render();
    if (body === undefined) return undefined;
    return { body: Buffer.from(body), etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  }
}
