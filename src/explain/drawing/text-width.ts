/** Columns of a line of text: what fits a terminal of 120 columns. */
export const TEXT_WIDTH = 118;
