/** Calls back after so many milliseconds. The function that it returns cancels the call. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The real timer. A pending call does not keep the process alive. */
export const realTimer: Timer = (milliseconds, callback) => {
  const timeout = setTimeout(callback, milliseconds).unref();
  return () => {
    clearTimeout(timeout);
  };
};
