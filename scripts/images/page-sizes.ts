/** Sizes of the pictures of pages, in pixels, by file name. */
export const PAGE_SIZES = {
  'report.png': { width: 1120, height: 960 },
  'playground.png': { width: 1120, height: 700 },
} as const;

/** A picture of a page. */
export type PageName = keyof typeof PAGE_SIZES;
