/** A parameter's name and value as they were sent, decoded. */
export type ParameterEntry = readonly [name: string, value: string];
