/**
 * Owns: reading the texts of a posted form, by the names of its fields. Does not own: what the names mean.
 */

/** What was posted. FormData and URLSearchParams both are that. */
export interface FormFields {
  getAll(name: string): readonly unknown[];
}

export const NO_FIELDS: FormFields = { getAll: () => [] };

/** Every text that was posted under a name. Browsers send CR LF for a new line; texts here have LF. Files are no texts. */
export function fieldTexts(fields: FormFields, name: string): readonly string[] {
  const texts = fields.getAll(name).filter((value) => typeof value === "string");
  return texts.map((text) => text.replaceAll("\r\n", "\n"));
}

/** The first, or "". */
export function fieldText(fields: FormFields, name: string): string {
  return fieldTexts(fields, name)[0] ?? "";
}

/** What was chosen under a name, each once. An empty text is the button for none. */
export function chosenTexts(fields: FormFields, name: string): readonly string[] {
  return [...new Set(fieldTexts(fields, name).filter((text) => text !== ""))];
}

/** Undefined where it is blank. */
export function filledIn(fields: FormFields, name: string): string | undefined {
  const text = fieldText(fields, name);
  return text.trim() === "" ? undefined : text;
}
