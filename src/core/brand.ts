/**
 * Owns: whose name, colour and logo people see where they are asked. An author writes them down once.
 * Does not own: how they look, and that a colour stays readable (`pages/theme.ts`).
 */

import * as z from "zod";
import { BRAND_LOGO_CHARACTERS, BRAND_NAME_CHARACTERS } from "./limits.ts";
import { strippedText } from "./text.ts";

const DATA_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)(?:;[a-z]+=[\w-]+)*(?:;base64)?,[\w%+/=.~!*'():;@&$,?-]+$/i;

export const brandSchema = z.strictObject({
  name: strippedText({ max: BRAND_NAME_CHARACTERS }),
  /** `#rrggbb` or `#rgb`. */
  colour: z.exactOptional(
    z
      .string()
      .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, "must be a colour such as #0b5f49")
      .transform(longColour),
  ),
  /** An https address, or a `data:image/…` URL. */
  logo: z.exactOptional(
    z
      .string()
      .max(BRAND_LOGO_CHARACTERS, `must be at most ${BRAND_LOGO_CHARACTERS} characters`)
      .refine(isLogo, "must be an https:// address of an image, or a data:image/… URL"),
  ),
});
export type Brand = Readonly<z.output<typeof brandSchema>>;
/** As an author writes it down. */
export type BrandOptions = Readonly<z.input<typeof brandSchema>>;

export const DEFAULT_BRAND: Brand = { name: "Holdpoint" };

function longColour(colour: string): string {
  const digits = colour.slice(1).toLowerCase();
  return digits.length === 6 ? `#${digits}` : `#${Array.from(digits, (d) => d + d).join("")}`;
}

function isLogo(logo: string): boolean {
  if (DATA_IMAGE.test(logo)) return true;
  try {
    const url = new URL(logo);
    return url.protocol === "https:" && url.username === "" && url.password === "";
  } catch {
    return false;
  }
}
