import { isJsonObject } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';

/** What a service says of its disk space in the answer of `/readyz`. */
export interface ReportedSpace {
  readonly state: 'enough' | 'no sealing' | 'no events';
  /** A sentence about the service. */
  readonly sentence: string;
}

const enough: ReportedSpace = { state: 'enough', sentence: 'It has enough disk space.' };

/** Reads the body of an answer. Anything else counts as enough space. */
export function reportedSpace(body: string): ReportedSpace {
  const answer = parsed(body);
  if (answer.ingestion === 'ingest.disk_full') {
    return {
      state: 'no events',
      sentence: 'It answers queries, but rejects events because disk space is low (ingest.disk_full).',
    };
  }
  if (answer.sealing === 'service.disk_full') {
    return {
      state: 'no sealing',
      sentence:
        'It accepts events, but has no disk space to seal full segments, and will reject events when a few of them wait (ingest.disk_full).',
    };
  }
  return enough;
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(body);
    return isJsonObject(value) ? { ...value } : {};
  } catch {
    // Whatever answered with 200 counts as ready.
    return {};
  }
}
