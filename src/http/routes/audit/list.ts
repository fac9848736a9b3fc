import * as z from 'zod';
import { formatMicros } from '../../../invoke/formatMicros.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';
import { pageOf, pageOptions, readPage } from '../../page.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';

const position = z.int().min(1);

/** Lists who changed what, and who was refused. */
export const listAudit = managedRoute({
  operation: 'audit.list',
  methods: ['GET'],
  path: '/api/audit',
  urlParameters: [...pageOptions, 'actor'],
  summary:
    'Lists who did what, newest first, in pages. `actor` selects one token. A token restricted to projects sees only its own entries.',
  async handle({ options, services }, token) {
    const { limit, after } = readPage(options, position);
    const wanted = options.get('actor') ?? null;
    const own = limitsRows(token.restrictions) ? token.publicId : null;
    if (own !== null && wanted !== null && wanted !== own) return managedAnswer({ result: [], next: null });
    const actor = own ?? wanted;
    // Writes the minutes that are complete, so that the list is up to date.
    await services.refusedCalls.flush(services.clock.nowMicros());
    const entries = await services.audit.list({ limit: limit + 1, beforeSequence: after, actor });
    const page = pageOf(entries, limit, ({ sequence }) => sequence);
    const result = page.result.map(
      ({ sequence, atMicros, actor: who, action, target, version, requestId, code, count }) => ({
        sequence,
        at: formatMicros(atMicros),
        actor: who,
        action,
        target,
        version,
        code,
        count,
        request_id: requestId,
      }),
    );
    return managedAnswer({ result, next: page.next });
  },
});
