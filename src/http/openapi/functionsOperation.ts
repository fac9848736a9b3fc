import type { OperationDescription } from './operationDescription.ts';
import { list, object, text } from './schemaParts.ts';

/** `functions.list` */
export const functionsOperation: OperationDescription = {
  scope: 'query, or query:endpoint:<id>',
  answer: {
    description: 'The functions by name, without operators.',
    schema: object({
      functions: list(
        object({
          name: text,
          kind: {
            enum: ['scalar', 'aggregate', 'window'],
            description: '`aggregate`: one value for each group. `window`: needs OVER.',
          },
          signatures: {
            ...list(text),
            description: 'Brackets enclose optional arguments. `T` and `U` stand for any type.',
          },
          description: text,
          example: { ...text, description: 'A complete query.' },
        }),
      ),
    }),
  },
};
