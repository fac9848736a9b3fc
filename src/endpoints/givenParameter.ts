/** Several values of one parameter: repeated in a URL or form, or an array of a JSON body. */
export interface ValueList {
  readonly form: 'repeated' | 'array';
  readonly texts: readonly string[];
}

/**
 * A parameter's name and value as they were sent, decoded. With a list, the text is the first of its values, or empty;
 * only array parameters take lists, and `bindParameters` refuses them for all others.
 */
export type GivenParameter = readonly [name: string, value: string, list?: ValueList];

export const isList = (parameter: GivenParameter): boolean => parameter[2] !== undefined;
