export { printExpression } from './printExpression.ts';
export { printQuery } from './printQuery.ts';
export { printType } from './printType.ts';
