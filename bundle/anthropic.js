/**
 * In place of `@ai-sdk/anthropic`: of its provider the language model, configured as the provider does it. Its models that
 * decide and extract, which the provider brings with it, are bytes of the bundle that nobody reaches.
 */

import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import { generateId, withUserAgentSuffix } from "@ai-sdk/provider-utils";
import { version } from "../node_modules/@ai-sdk/anthropic/package.json";

const SUPPORTED_URLS = {
  "image/*": [/^https?:\/\/.*$/],
  "application/pdf": [/^https?:\/\/.*$/],
};

export function createAnthropic({ apiKey, baseURL }) {
  return {
    languageModel: (modelId) =>
      new AnthropicLanguageModel(modelId, {
        provider: "anthropic.messages",
        supportsMessageThreads: true,
        baseURL,
        headers: () =>
          withUserAgentSuffix(
            { "anthropic-version": "2023-06-01", "x-api-key": apiKey },
            `ai-sdk-anthropic/${version}`,
          ),
        generateId,
        supportedUrls: () => SUPPORTED_URLS,
      }),
  };
}
