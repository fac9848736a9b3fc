/** Whether a text shows nothing: empty, or white space, controls and characters without a width alone. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
