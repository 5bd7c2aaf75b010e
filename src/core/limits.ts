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
/** Of a person's token; an issuer's clock may differ by so much. */
export const TOKEN_CHARACTERS = 8_192;
export const TOKEN_CLOCK_SKEW_SECONDS = 30;
/** What a caller beyond its rate is told: the platform's windows are of 10 or 60 seconds, and it does not say which. */
export const RATE_LIMIT_RETRY_SECONDS = 10;
/** How long a browser may remember what another origin's page may send. */
export const CORS_AGE_SECONDS = 600;
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
/** How often a pattern may say that a part of it is repeated, as in `a{1,1000}`. */
export const PATTERN_REPEATS = 1_000;
/** What a pattern may become once each repetition is written out. */
export const PATTERN_STATES = 20_000;
/** How often the patterns of a schema may look at a character in one check. */
export const PATTERN_STEPS = 5_000_000;
/** Schemas inside one another, by reference or not, that are all about one and the same value. */
export const SCHEMA_CHAIN_SCHEMAS = 100;
/** How often a schema may meet a part of a value in one check: it bounds time and the memory that errors take. */
export const SCHEMA_STEPS = 200_000;
/** The same, for listing all that is wrong with a value that is known to be wrong. */
export const SCHEMA_LISTING_STEPS = 10_000;
/** How many values of an `enum` are compared in one such step. */
export const SCHEMA_ENUM_VALUES_A_STEP = 64;
/** How many names are looked for, or listed, in one such step. */
export const SCHEMA_NAMES_A_STEP = 2;
/** The same of names of the value that match a pattern, where few objects have more than a few of them. */
export const SCHEMA_PATTERN_NAMES_A_STEP = 16;
/** Names of an object that are listed beside a step, for nothing. */
export const SCHEMA_SMALL_OBJECT = 32;
/** How many members or items are compared in one such step. */
export const SCHEMA_COMPARED_A_STEP = 64;
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
export const WEBHOOK_URL_CHARACTERS = 2_048;
/** Below it only the standard port is called: what else listens there is no receiver of webhooks. */
export const WEBHOOK_PORT_MIN = 1_024;
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** How far the time of a delivery that arrives may be from ours, either way. */
export const WEBHOOK_AGE_MS = 5 * 60 * 1_000;
/** Of a signing key. The scheme asks for 24 to 64; a sender who is content with 16 is not turned away. */
export const WEBHOOK_SECRET_BYTES_MIN = 16;
export const WEBHOOK_SECRET_BYTES_MAX = 64;
export const CHANNEL_NAME_CHARACTERS = 32;
export const GROUP_RECIPIENTS = 16;
export const ADDRESS_CHARACTERS = 2_048;
/** How often a question may be moved to somebody else: its history keeps each. */
export const ASSIGNMENTS = 100;

// Slack: what Block Kit takes of a text, in UTF-16 units, after escaping
export const SLACK_SECTION_UNITS = 3_000;
export const SLACK_BUTTON_UNITS = 75;
/** Beyond it a question is answered on its page: a row of more buttons is no choice any more. */
export const SLACK_BUTTONS = 5;
export const SLACK_TIMEOUT_MS = 10_000;
/** Of what its API answers, which repeats the message; and of the names in it that are kept. */
export const SLACK_RESPONSE_UNITS = 1024 * 1024;
export const SLACK_NAME_CHARACTERS = 128;
/** Slack takes a click for failed that is not answered within 3 s. */
export const SLACK_ANSWER_MS = 2_000;

// A question's life
export const TERM_MS_MIN = 1_000;
export const TERM_MS_MAX = 366 * 24 * 60 * 60 * 1_000;
export const REMINDERS = 16;
export const ESCALATIONS = 16;
/** It is stored with its question, and once more when it becomes the answer. */
export const DEFAULT_ANSWER_BYTES = 64 * 1024;

// Mail
export const MAIL_BYTES = 10 * 1024 * 1024;
/** Of what a mail says, quotes included; as text, or as HTML where there is no text. */
export const MAIL_TEXT_CHARACTERS = 1024 * 1024;
export const MAIL_HEADER_BYTES = 256 * 1024;
export const MAIL_NESTING_LEVELS = 20;
export const MAIL_SUBJECT_CHARACTERS = 120;
/** Before the `+` of a reply's address: with it and a token, 64 are what mail servers let stand before the @. */
export const MAIL_LOCAL_PART_CHARACTERS = 20;
/** What a mail shows of an approval's arguments. Longer ones are shown, and approved, on the page alone. */
export const MAIL_ARGUMENTS_CHARACTERS = 16_384;
/** How often somebody is told by mail that a mail of theirs came to nothing. */
export const MAIL_EXPLANATIONS_AN_HOUR = 10;

// Sessions
export const OPEN_QUESTIONS = 1_000;
export const QUEUED_TURNS = 100;
export const AWAITED_TASKS = 64;
/** By `list_tasks`, the newest; as many as may be open. */
export const LISTED_TASKS = 1_000;
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
/** For an approval rule, for the check of a tool's input, and for `prepareMessages`. */
export const RULE_TIMEOUT_MS = 30_000;
/** For one try to tell somebody outside. */
export const CHORE_TIMEOUT_MS = 60_000;
/** How many are told at once: the platform holds six connections open that have no answer yet. */
export const CHORES_AT_ONCE = 6;

// Waking
export const LEASE_MS = 15_000;
/**
 * How long the inbox waits for what was committed, so that a turn which runs through is told once; and for a session that
 * changes faster than people do. Up to a quarter is added at random: where nothing is down, no list is half a second late.
 */
export const TELL_AFTER_MS = 200;
export const TELL_FAST_AFTER_MS = 350;
/** A session is fast that told the inbox within this time, and keeps its alarm armed for as long: its next turn finds it. */
export const FAST_MS = 1_000;
/** How many settled turns, and how many questions, an object keeps in memory: those that it tells the inbox of together. */
export const RECENT_KEPT = 16;
export const RETRY_FIRST_MS = 1_000;
export const RETRY_DELAY_MS = 15_000;
export const RETRY_DELAY_MAX_MS = 60 * 60 * 1_000;
export const ATTEMPTS_DEFAULT = 5;

// Readers of events
/** Text of a model call is passed on at once, and then at most this often: a reader costs a message each time. */
export const DELTA_INTERVAL_MS = 40;
/** A reader that is behind is brought this much of the journal at a time. */
export const EVENT_PAGE_UNITS = 256 * 1024;
/** Of a chat that is loaded: the newest turns, as many as were made of so much of the journal. */
export const CHAT_HISTORY_UNITS = 4 * 1024 * 1024;
/** What waits for a slow reader: beyond the first, text that is under way is dropped; beyond the second, nothing more is taken until the reader has caught up. */
export const READER_DELTAS_UNITS = 64 * 1024;
export const READER_BUFFER_UNITS = 1024 * 1024;
/** Comments that keep a silent stream open on its way to the reader. */
export const HEARTBEAT_MS = 20_000;
/** When a reader that lost its stream should come again; and one whose turn is over, if it comes again at all. */
export const READER_RETRY_MS = 1_000;
export const READER_RETRY_AFTER_END_MS = 60 * 60 * 1_000;
/** A session's object that died is looked for again at once, then after this, doubling. */
export const RECONNECT_MS = 250;
export const RECONNECT_TRIES = 8;
export const RECONNECT_CALM_MS = 60_000;

// Storage: a platform row holds 2 MB, and a UTF-16 unit takes at most 3 bytes of UTF-8.
export const ROW_BYTES = 1_900_000;
/** How long after its time something must still not be done to count as overdue. */
export const OVERDUE_AFTER_MS = 60_000;
/** Answered questions of one shard, the newest, that the time to answer is taken from. */
export const METRICS_QUESTIONS = 1_000;
/** Sessions that one look for what is overdue asks. */
export const OVERDUE_SESSIONS_A_SWEEP = 1_000;
/** The shortest time for which settled turns may be kept. */
export const RETENTION_MS_MIN = 60 * 60 * 1_000;
/** Between two looks for what has been kept long enough. */
export const RETENTION_SWEEP_MS = 60 * 60 * 1_000;
export const ROW_TEXT_UNITS = 600_000;
