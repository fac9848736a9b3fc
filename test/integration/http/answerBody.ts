/** The members of answers that tests look at; which of them are there depends on the status. */
export interface AnswerBody {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly nearest?: string }[];
  readonly meta: {
    readonly notices: readonly unknown[];
    readonly endpoint: { readonly name: string };
    readonly cache: { readonly outcome: string };
    readonly redaction: { readonly applied: boolean };
  };
}

export async function bodyOf(response: Response): Promise<AnswerBody> {
  return (await response.json()) as AnswerBody;
}
