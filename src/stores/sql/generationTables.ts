export interface GenerationTables {
  readonly generations: {
    /** Name of the subject (ports/changeFeed.ts). */
    readonly subject: string;
    readonly generation: number;
  };
}
