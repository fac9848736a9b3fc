/** Secrets of page cursors (ports/pageSecrets.ts). */
export interface PageTables {
  page_secrets: {
    month: number;
    /** Base64. */
    secret: string;
  };
}
