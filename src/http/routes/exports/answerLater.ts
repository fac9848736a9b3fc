import { ServiceError } from '../../../core/errors.ts';
import type { ExportCall } from '../../../exports/runExport.ts';
import { type AsyncPreference, appliedPreference } from '../../prefer.ts';
import { jsonAnswer, type RouteAnswer, type RouteCall } from '../../route.ts';
import { exportAnswer } from './exportAnswer.ts';
import { exportDataPath, exportPath, exportView } from './exportView.ts';
import { requireExports } from './requireExports.ts';

/**
 * Answers a call with `Prefer: respond-async`: 202 with the path of an export, or 200 with its data if it ends while the call
 * waits. Throws what the call itself would be refused with.
 */
export async function answerLater(
  call: RouteCall,
  asked: ExportCall,
  preference: AsyncPreference,
): Promise<RouteAnswer> {
  const exports = requireExports(call.services);
  const begun = await exports.begin(asked, call.signal);
  // The export itself is counted, when it ends.
  call.tell(null);
  const { id } = begun;
  const { token } = asked;
  const { waitSeconds } = preference;
  const record = waitSeconds === null ? begun : await exports.ended(id, token, waitSeconds * 1000, call.signal);
  const applied = { 'preference-applied': appliedPreference(preference) };
  if (record.failure !== null) throw new ServiceError(record.failure.code, record.failure.detail);
  if (record.state === 'complete') {
    const answer = exportAnswer(await exports.read(id, token, null), call, false);
    return { ...answer, headers: { ...answer.headers, ...applied, 'content-location': exportDataPath(id) } };
  }
  const headers = { location: exportPath(id), 'retry-after': '1', 'cache-control': 'no-store', ...applied };
  return { ...jsonAnswer(exportView(record), headers), status: 202 };
}
