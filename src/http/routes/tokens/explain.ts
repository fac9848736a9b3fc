import * as z from 'zod';
import { isJsonObject } from '../../../core/jsonValue.ts';
import { canonicalAddress } from '../../../core/network.ts';
import { type Refusal, readMembers } from '../../../core/readMembers.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { jsonParametersOf } from '../../jsonParameters.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managerOf } from './tokenRequest.ts';

const refusal: Refusal = { code: 'token.invalid', sentence: 'The call to explain is not valid' };

/** The body: the call to explain. */
export const explainInput = z.strictObject(
  {
    endpoint: z
      .string('must be the ID or the name of an endpoint')
      .min(1, 'must not be empty')
      .max(128, 'must have at most 128 characters'),
    parameters: z.unknown().optional().meta({ type: 'object' }),
    address: z
      .string()
      .refine((text) => canonicalAddress(text) !== undefined, 'must be an IP address')
      .nullable()
      .default(null),
  },
  'must be a JSON object',
);

/** Explains the outcome of a call with a token, without making the call. */
export const explainToken = managedRoute({
  operation: 'tokens.explain',
  methods: ['POST'],
  path: '/api/tokens/:publicId/explain',
  urlParameters: [],
  takesBody: true,
  summary:
    'Says what would happen to a call with a token, rule by rule, without making the call. The body contains `endpoint`, `parameters` and, if networks matter, `address`.',
  async handle(call, token) {
    const { pathParts, requestId, services } = call;
    const record = await services.tokenManagement.find(pathParts.publicId ?? '', managerOf(token, requestId));
    const json = await readJsonBody(call);
    const { endpoint, address } = readMembers(explainInput, plainJson(json), refusal);
    const explanation = await services.explainCall(record, {
      idOrName: endpoint,
      parameters: jsonParametersOf((isJsonObject(json) ? json.parameters : undefined) ?? {}),
      address,
      nowMicros: services.clock.nowMicros(),
      turns: call.turns,
    });
    return managedAnswer(explanation);
  },
});
