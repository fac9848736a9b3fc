/** The store was written by a newer version of the product, with migrations that this one does not know. Shown as it is. */
export class NewerStore extends Error {
  constructor(migration: string) {
    super(
      `store.sqlite was written by a newer version of Logmill (it has the migration ${migration}); start that version, or use another data folder.`,
    );
    this.name = 'NewerStore';
  }
}
