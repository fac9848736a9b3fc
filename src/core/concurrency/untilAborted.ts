/**
 * The result of work that cannot be stopped. Rejects with the reason of the signal as soon as it is aborted, and no longer
 * minds how the work ends.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const stopListening = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(stopListening);
  });
}
