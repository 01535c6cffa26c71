/** Calls back after so many milliseconds, unless it is called off by what it returns. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The clock on the wall. It keeps no process from ending. */
export const realTimer: Timer = (milliseconds, callback) => {
  const timeout = setTimeout(callback, milliseconds).unref();
  return () => {
    clearTimeout(timeout);
  };
};
