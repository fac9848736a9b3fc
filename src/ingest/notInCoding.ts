/** The bytes are not what their coding says, whoever decodes them. */
export class NotInCoding extends Error {}
