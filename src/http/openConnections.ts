import { ConnectionPlaces } from '../core/connectionPlaces.ts';
import { RareReports } from '../core/rareReports.ts';
import { Connections } from './connections.ts';
import type { HttpServices, HttpSettings } from './services.ts';

/** A connection without a request may be closed at any time (RFC 9112, section 9.6), so clients can open another one. */
export const idleMsMax = 5_000;

/** Tracks the connections of a server, and says in the log if there are too many. */
export function openConnections(
  { clock, observe }: Pick<HttpServices, 'clock' | 'observe'>,
  { connectionsMax }: Pick<HttpSettings, 'connectionsMax'>,
): Connections {
  const reports = new RareReports(clock);
  return new Connections(new ConnectionPlaces(clock, connectionsMax, idleMsMax), () => {
    if (!reports.isDue('full')) return;
    observe({
      kind: 'warning',
      message: `HTTP connections were closed for new ones, or refused: ${connectionsMax} is the limit`,
    });
  });
}
