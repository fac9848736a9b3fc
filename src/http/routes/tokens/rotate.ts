import { tokenView } from '../../../manage/tokenView.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managerOf, overlapSeconds } from './tokenRequest.ts';

/** Gives a token a new secret. */
export const rotateToken = managedRoute({
  operation: 'tokens.rotate',
  methods: ['POST'],
  path: '/api/tokens/:publicId/rotate',
  urlParameters: [],
  takesBody: true,
  summary:
    'Gives a token a new secret, shown only in this answer. The old secret keeps working for the `overlap_seconds` of the JSON body.',
  async handle(call, token) {
    const { pathParts, requestId, services } = call;
    const by = managerOf(token, requestId);
    const rotated = await services.tokenManagement.rotate(pathParts.publicId ?? '', await overlapSeconds(call), by);
    return managedAnswer({ token: rotated.text, ...tokenView(rotated.record, services.clock.nowMicros()) });
  },
});
