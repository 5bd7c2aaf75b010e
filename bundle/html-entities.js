/**
 * In place of the table of HTML's named characters that `postal-mime` brings: `decode-named-character-reference`, with which
 * mails and pages are read, has the same one. `postal-mime` looks a reference up as it is written, `&` and `;` included.
 */

import { decodeNamedCharacterReference } from "decode-named-character-reference";

/** The names that HTML also takes without a semicolon. */
const BARE_NAMES = new Set(
  (
    "AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute Icirc Igrave Iuml " +
    "LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute " +
    "aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml " +
    "frac12 frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute " +
    "ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 szlig thorn " +
    "times uacute ucirc ugrave uml uuml yacute yen yuml"
  ).split(" "),
);

export const htmlEntities = new Proxy({}, { get: (_, written) => characterOf(written) });

function characterOf(written) {
  const [, name, end] = /^&([A-Za-z0-9]+)(;?)$/.exec(written) ?? [];
  if (name === undefined || (end === "" && !BARE_NAMES.has(name))) return undefined;
  return decodeNamedCharacterReference(name) || undefined;
}
