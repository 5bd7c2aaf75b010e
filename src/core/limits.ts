/**
 * Owns: every number that bounds what Holdpoint accepts, keeps or waits for. The unit is in the name.
 * Text lengths are counted in code points, after outer white space is stripped.
 */

// What arrives
export const REQUEST_BODY_BYTES = 2 * 1024 * 1024;
export const JSON_NESTING_LEVELS = 64;
export const INPUT_CHARACTERS = 262_144;
export const INPUT_PARTS = 32;
export const INPUT_PART_CHARACTERS = 65_536;
export const EXTRA_BODY_BYTES = 64 * 1024;
export const EXTRA_BODY_PLAYGROUND_BYTES = 1024 * 1024;
export const METADATA_KEYS = 16;
export const METADATA_KEY_CHARACTERS = 64;
export const METADATA_VALUE_CHARACTERS = 512;
export const IDEMPOTENCY_KEY_CHARACTERS = 512;
export const SESSION_NAME_CHARACTERS = 128;
export const PREFER_WAIT_SECONDS = 60;
export const PAGE_ITEMS_DEFAULT = 50;
export const PAGE_ITEMS_MAX = 100;

// What is refused, in words
export const REFUSAL_ISSUES = 20;
export const REFUSAL_ISSUE_CHARACTERS = 512;
export const REFUSAL_NAME_CHARACTERS = 64;
export const TOOL_INPUT_ISSUES = 4;
export const TOOL_INPUT_ISSUE_CHARACTERS = 512;

// Questions of kinds person and tool
export const QUESTION_CHARACTERS = 8_192;
export const QUESTION_OPTIONS_MIN = 2;
export const QUESTION_OPTIONS_MAX = 20;
export const OPTION_ID_CHARACTERS = 64;
export const OPTION_LABEL_CHARACTERS = 256;
export const OPTION_DESCRIPTION_CHARACTERS = 4_096;
export const CONTEXT_CHARACTERS = 65_536;
export const RECIPIENT_NAME_CHARACTERS = 64;

// Questions of kind form
export const FORM_QUESTIONS = 4;
export const FORM_HEADER_CHARACTERS = 12;
export const FORM_OPTIONS_MIN = 2;
export const FORM_OPTIONS_MAX = 4;

// JSON Schemas of answers
export const SCHEMA_BYTES = 64 * 1024;
export const SCHEMA_PATTERN_CHARACTERS = 1_024;
/** Schemas inside one another, by reference or not, that are all about one and the same value. */
export const SCHEMA_CHAIN_SCHEMAS = 100;
/** How often a schema may meet a part of a value in one check: it bounds time and the memory that errors take. */
export const SCHEMA_STEPS = 200_000;
/** The same, for listing all that is wrong with a value that is known to be wrong. */
export const SCHEMA_LISTING_STEPS = 10_000;
/** How many values of an `enum` are compared in one such step. */
export const SCHEMA_ENUM_VALUES_A_STEP = 64;
/** `uniqueItems` compares each item with each other one. */
export const SCHEMA_UNIQUE_ITEMS = 1_000;

// Answers
export const ANSWER_BYTES = 1024 * 1024;
export const ANSWER_TEXT_CHARACTERS = 65_536;
export const FORM_ANSWER_CHARACTERS = 8_192;
export const FORM_ANSWER_VALUES = 4;
export const ANSWERED_BY_CHARACTERS = 320;
export const REASON_CHARACTERS = 4_096;
export const FAILURE_MESSAGE_CHARACTERS = 4_096;
export const LINK_TRIES_A_MINUTE = 30;

// The answer page
export const BRAND_NAME_CHARACTERS = 64;
export const BRAND_LOGO_CHARACTERS = 65_536;
/** Controls of one form; a schema that needs more is answered as JSON. */
export const FORM_CONTROLS = 300;
/** What the controls of one form say, as JSON: a few references can make a small schema a very large form. */
export const FORM_CHARACTERS = 200_000;
/** Objects inside one another that are drawn as such. */
export const FORM_LEVELS = 4;

// Results of a batch of calls
export const BATCH_RESULTS = 128;
export const BATCH_BYTES = 262_144;
export const CALL_ID_CHARACTERS = 1_024;

// Reaching people
export const DELIVERY_CHANNELS = 16;

// Sessions
export const OPEN_QUESTIONS = 1_000;
export const QUEUED_TURNS = 100;
export const AWAITED_TASKS = 64;
export const WAIT_MS_MIN = 1_000;
export const WAIT_MS_MAX = 366 * 24 * 60 * 60 * 1_000;

export const RESUMED_TURNS_DEFAULT = 10;

// Steps
export const MODEL_MESSAGE_BYTES = 1024 * 1024;
export const TOOL_RESULT_BYTES = 1024 * 1024;
export const ERROR_MESSAGE_CHARACTERS = 2_048;
export const STEPS_DEFAULT = 50;
/** Model calls that mend a last text which is not the output that was asked for. */
export const OUTPUT_REPAIRS = 1;
export const MODEL_TIMEOUT_MS = 10 * 60 * 1_000;
/** One wait on a session by code that waits however long it takes. */
export const LIBRARY_WAIT_MS = 60_000;
export const CHILD_WAIT_MS = 60_000;
export const TOOL_TIMEOUT_MS = 5 * 60 * 1_000;

// Waking
export const LEASE_MS = 15_000;
/** How long the inbox may wait for what was committed, so that a turn which runs through is told once. */
export const TELL_AFTER_MS = 100;
export const RETRY_FIRST_MS = 1_000;
export const RETRY_DELAY_MS = 15_000;
export const RETRY_DELAY_MAX_MS = 60 * 60 * 1_000;
export const ATTEMPTS_DEFAULT = 5;

// Storage: a platform row holds 2 MB, and a UTF-16 unit takes at most 3 bytes of UTF-8.
export const ROW_BYTES = 1_900_000;
/** The shortest time for which settled turns may be kept. */
export const RETENTION_MS_MIN = 60 * 60 * 1_000;
/** Between two looks for what has been kept long enough. */
export const RETENTION_SWEEP_MS = 60 * 60 * 1_000;
export const ROW_TEXT_UNITS = 600_000;
