import { isSecretName } from './detectors/secretNames.ts';
import { TextView } from './textView.ts';

/** A member whose values are replaced as a whole: a name, or the names of nested members joined by dots. */
export interface FieldRule {
  readonly field: string;
  /** The kind in marks and counts. */
  readonly kind: string;
}

const rules = (kind: string, fields: string): readonly FieldRule[] =>
  fields.split(/\s+/).map((field) => ({ field, kind }));

/** Members that are personal or secret by name (contract, section 6). */
export const builtinFieldRules: readonly FieldRule[] = [
  ...rules(
    'ip',
    `x_real_ip cf_connecting_ip cf_connecting_ipv6 true_client_ip fastly_client_ip x_client_ip x_cluster_client_ip
     x_forwarded_for forwarded_for forwarded remote_addr remoteAddress remote_ip remoteIp client_ip clientIp
     client_addr peer_ip ip_address ipAddress`,
  ),
  ...rules('email', 'user_email userEmail email email_address emailAddress'),
  ...rules('phone', 'user_phone userPhone phone phone_number phoneNumber'),
  ...rules(
    'person',
    `actor_username first_name firstName last_name lastName full_name fullName ssn social_security_number
     socialSecurityNumber national_id nationalId tax_id taxId passport_number passportNumber date_of_birth dateOfBirth
     birth_date birthDate dob`,
  ),
  ...rules('card', 'card_number cardNumber credit_card creditCard credit_card_number creditCardNumber'),
  ...rules('iban', 'iban'),
  ...rules('location', 'latitude longitude postalCode postal_code zip_code zipCode'),
  ...rules(
    'key',
    `authorization proxy_authorization cookie cookies set_cookie apikey api_key apiKey x_api_key access_token
     accessToken refresh_token refreshToken id_token idToken client_secret clientSecret password passwd pwd passphrase
     passcode secret secret_key secretKey access_key accessKey secret_access_key secretAccessKey private_key privateKey
     auth_token authToken session_token sessionToken x_auth_token encrypted_password password_hash passwordHash
     service_role_key bearer device_code deviceCode user_code userCode saml_response samlResponse saml_assertion
     samlAssertion`,
  ),
];

interface Entry {
  /** The names of the enclosing members, outermost first. */
  readonly above: readonly string[];
  readonly kind: string;
}

/** The entry for a name that detectors treat as a secret in text (namedSecret.ts), such as `db_password`. */
const secretEntries: readonly Entry[] = [{ above: [], kind: 'key' }];

const rememberedMax = 10_000;

/**
 * Decides which members are personal. Names are case-insensitive, `-` equals `_`, and invisible characters do not count.
 * Everything below a personal member is personal.
 */
export class FieldRules {
  readonly #byName = new Map<string, readonly Entry[]>();
  /** Entries by the name as written: normalising a name costs more than everything else. */
  readonly #remembered = new Map<string, readonly Entry[]>();

  constructor(fieldRules: readonly FieldRule[]) {
    for (const { field, kind } of fieldRules) {
      const names = field.split('.').map(normalised);
      const name = names.pop() ?? '';
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), { above: names, kind }]);
    }
  }

  /** The kind of the member `name` below `above` (outermost first), or undefined. Ignores the kinds of `above`. */
  kindOf(name: string, above: readonly string[]): string | undefined {
    const entries = this.#entriesOf(name);
    if (entries.length === 0) return undefined;
    return entries.find((entry) => endsWith(above, entry.above))?.kind;
  }

  /** Like `kindOf` if the enclosing members are unknown: any rule that ends with the name applies. */
  kindOfName(name: string): string | undefined {
    return this.#entriesOf(name)[0]?.kind;
  }

  /** The kind of a value at a path, by any member of the path. */
  kindOfPath(path: readonly string[]): string | undefined {
    for (const [index, name] of path.entries()) {
      const kind = this.kindOf(name, path.slice(0, index));
      if (kind !== undefined) return kind;
    }
    return undefined;
  }

  #entriesOf(name: string): readonly Entry[] {
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const entries = this.#byName.get(normalised(name)) ?? (isSecretName(plain(name)) ? secretEntries : []);
    // Names come from data, so the memory for them is limited.
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear();
    this.#remembered.set(name, entries);
    return entries;
  }
}

function normalised(name: string): string {
  return plain(name).toLowerCase().replaceAll('-', '_');
}

/** A name as detectors would read it: without invisible characters and surrounding white space. */
const plain = (name: string): string => TextView.of(name).text.trim();

function endsWith(path: readonly string[], end: readonly string[]): boolean {
  const offset = path.length - end.length;
  return offset >= 0 && end.every((name, index) => normalised(path[offset + index] ?? '') === name);
}
