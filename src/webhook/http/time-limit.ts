/** The longest time of a timer: Node fires a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Resolves with the result of the promise, or with `timeout` after the time is over. */
export async function atMost<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'timeout'> {
  if (milliseconds > LONGEST_TIMER) return promise;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'timeout');
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
