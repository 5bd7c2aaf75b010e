/**
 * Owns: which tests of JSON Schema's own suite of 2020-12 fail here, by name, and why.
 */

/** Groups whose schema is refused when it is to be asked by: by reason and file. */
export const REFUSED_GROUPS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> =
  {
    "a $dynamicRef names an anchor that stands in the document several times, and the way to it is not followed":
      {
        "dynamicRef.json": [
          "A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated",
          "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
          "A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope",
          "multiple dynamic paths to the $dynamicRef keyword",
          "after leaving a dynamic scope, it is not used by a $dynamicRef",
        ],
      },
    "a reference leads out of the document, and nothing is fetched": {
      "dynamicRef.json": [
        "strict-tree schema, guards against misspelled properties",
        "tests for implementation dynamic anchor and reference link",
        "$ref and $dynamicAnchor are independent of order - $defs first",
        "$ref and $dynamicAnchor are independent of order - $ref first",
      ],
      "optional/cross-draft.json": ["refs to historic drafts are processed as historic drafts"],
      "refRemote.json": [
        "remote ref",
        "fragment within remote ref",
        "anchor within remote ref",
        "ref within remote ref",
        "base URI change",
        "base URI change - change folder",
        "base URI change - change folder in subschema",
        "root ref in remote ref",
        "remote ref with ref to defs",
        "Location-independent identifier in remote ref",
        "retrieved nested refs resolve relative to their URI not $id",
        "remote HTTP ref with different $id",
        "remote HTTP ref with different URN $id",
        "remote HTTP ref with nested absolute ref",
      ],
    },
    "$schema names a dialect other than 2020-12, which is not read": {
      "optional/format-assertion.json": [
        "schema that uses custom metaschema with format-assertion: false",
        "schema that uses custom metaschema with format-assertion: true",
      ],
      "vocabulary.json": [
        "schema that uses custom metaschema with with no validation vocabulary",
        "ignore unrecognized optional vocabulary",
      ],
    },
    "a reference leads into a keyword that is none of 2020-12, where no schema is known to be": {
      "optional/refOfUnknownKeyword.json": [
        "reference of a root arbitrary keyword ",
        "reference of an arbitrary keyword of a sub-schema",
      ],
    },
  };

/** Tests whose value, or schema, is judged in another way than the suite judges it: by reason, file and group. */
export const WRONG_TESTS: Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>
> = {
  "two schemas have one URI, which is refused": {
    "id.json": {
      "Valid use of empty fragments in location-independent $id": [
        "Identifier name with base URI change in subschema",
      ],
    },
  },
  "`dependencies` is a keyword of earlier drafts, and asserts nothing": {
    "optional/dependencies-compatibility.json": {
      "single dependency": ["missing dependency"],
      "multiple dependents required": [
        "missing dependency",
        "missing other dependency",
        "missing both dependencies",
      ],
      "dependencies with escaped characters": [
        "CRLF missing dependent",
        "quoted quotes missing dependent",
      ],
      "single schema dependency": ["wrong type", "wrong type other", "wrong type both"],
      "boolean subschemas": [
        "object with property having schema false is invalid",
        "object with both properties is invalid",
      ],
      "schema dependencies with escaped characters": [
        "quoted quote",
        "quoted tab invalid under dependent schema",
        "quoted quote invalid under dependent schema",
      ],
    },
  },
  "the validator does not know this format, so it asserts nothing": {
    "optional/format/idn-email.json": {
      "validation of an internationalized e-mail addresses": [
        "an invalid idn e-mail address",
        "an invalid e-mail address",
      ],
    },
    "optional/format/idn-hostname.json": {
      "validation of internationalized host names": [
        "illegal first char U+302E Hangul single dot tone mark",
        "contains illegal char U+302E Hangul single dot tone mark",
        "a host name with a component too long",
        "invalid label, correct Punycode",
        "invalid Punycode",
        'U-label contains "--" in the 3rd and 4th position',
        "U-label starts with a dash",
        "U-label ends with a dash",
        "U-label starts and ends with a dash",
        "Begins with a Spacing Combining Mark",
        "Begins with a Nonspacing Mark",
        "Begins with an Enclosing Mark",
        "Exceptions that are DISALLOWED, right-to-left chars",
        "Exceptions that are DISALLOWED, left-to-right chars",
        "MIDDLE DOT with no preceding 'l'",
        "MIDDLE DOT with nothing preceding",
        "MIDDLE DOT with no following 'l'",
        "MIDDLE DOT with nothing following",
        "Greek KERAIA not followed by Greek",
        "Greek KERAIA not followed by anything",
        "Hebrew GERESH not preceded by Hebrew",
        "Hebrew GERESH not preceded by anything",
        "Hebrew GERSHAYIM not preceded by Hebrew",
        "Hebrew GERSHAYIM not preceded by anything",
        "KATAKANA MIDDLE DOT with no Hiragana, Katakana, or Han",
        "KATAKANA MIDDLE DOT with no other characters",
        "Arabic-Indic digits mixed with Extended Arabic-Indic digits",
        "ZERO WIDTH JOINER not preceded by Virama",
        "ZERO WIDTH JOINER not preceded by anything",
      ],
    },
    "optional/format/iri-reference.json": {
      "validation of IRI References": ["an invalid IRI Reference", "an invalid IRI fragment"],
    },
    "optional/format/iri.json": {
      "validation of IRIs": [
        "an invalid IRI based on IPv6",
        "an invalid relative IRI Reference",
        "an invalid IRI",
        "an invalid IRI though valid IRI reference",
      ],
    },
  },
  "the validator takes leading zeroes in an ipv4": {
    "optional/format/ipv4.json": {
      "validation of IP addresses": ["invalid leading zeroes, as they are treated as octals"],
    },
  },
};
