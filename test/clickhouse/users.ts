/** A user of the stand-in. */
export interface User {
  readonly name: string;
  readonly password: string;
  /** What the user may do, as in GRANT, such as `SELECT ON logs.edge_logs`. */
  readonly grants: readonly string[];
  /** Settings of the user's profile; with `readonly: '1'` the user can change none. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** May do everything; has no password, as in a new ClickHouse. */
export const defaultUser: User = { name: 'default', password: '', grants: ['ALL ON *.* WITH GRANT OPTION'] };

/** The role that holds a user's grants. */
export function roleOf({ name }: Pick<User, 'name'>): string {
  return `of_${name}`;
}

/**
 * The configuration of users. The library runs everything as one user, so that user gets a role for each user of ours, and a
 * request of a user runs with that user's role only: ClickHouse itself checks the grants.
 */
export function usersXml(users: readonly User[]): string {
  for (const { name } of users) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new Error(`"${name}" cannot be the name of a user: use letters, digits and _`);
  }
  const roles = users.map((user) => {
    const grants = user.grants.map((grant) => `<query>GRANT ${escaped(grant)}</query>`).join('');
    return `<${roleOf(user)}><grants>${grants}</grants></${roleOf(user)}>`;
  });
  const granted = users.map((user) => `<query>GRANT ${roleOf(user)}</query>`).join('');
  return `<clickhouse>
<profiles><default/></profiles><quotas><default/></quotas>
<roles>${roles.join('')}</roles>
<users><default><password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
<grants>${granted}</grants></default></users>
</clickhouse>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
