/**
 * The HTTP status of an answer in protocols whose senders know no 422: bad data is a 400. Some of them repeat a request
 * after any other status that they do not know.
 */
export function badDataStatus(status: number): number {
  return status === 422 ? 400 : status;
}
