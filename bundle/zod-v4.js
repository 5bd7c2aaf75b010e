/**
 * What the packages of providers import as `zod/v4`, without zod's messages in fifty languages. They import its whole
 * namespace as one value, of which a bundler can drop nothing; the messages are 65 KiB of the compressed bundle, and every
 * error that we show is in our own words. `wrangler.toml` puts this file in its place.
 */

export * from "./zod-names.js";
export * as z from "./zod-names.js";
