/**
 * In place of `@ai-sdk/openai`: of its provider the language model, configured as the provider does it. The models of
 * images, speech and the rest, which the provider brings with it, are bytes of the bundle that nobody reaches.
 */

import { OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import { withUserAgentSuffix } from "@ai-sdk/provider-utils";
import { version } from "../node_modules/@ai-sdk/openai/package.json";

export function createOpenAI({ apiKey, baseURL }) {
  return {
    languageModel: (modelId) =>
      new OpenAIResponsesLanguageModel(modelId, {
        provider: "openai.responses",
        baseURL,
        url: ({ path }) => `${baseURL}${path}`,
        headers: () =>
          withUserAgentSuffix({ Authorization: `Bearer ${apiKey}` }, `ai-sdk-openai/${version}`),
        fileIdPrefixes: ["file-"],
      }),
  };
}
