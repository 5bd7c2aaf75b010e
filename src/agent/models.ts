/**
 * Owns: which model a name in `MODEL` means, and which variables and secrets each one needs. The providers' packages are
 * imported as any other: where a Worker's bundler meets `import()`, it wraps all that stands behind, zod too, and a module
 * that comes early then finds zod's classes undefined. A Worker without `resolveModel` carries none of them.
 * Does not own: the embedded models themselves, nor calling a model.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createWorkersAI } from "workers-ai-provider";
import { demoModel } from "./demo-model.ts";
import type { ModelContext } from "./model-context.ts";
import { ModelNotConfigured } from "./model-settings.ts";
import { scriptModel } from "./script-model.ts";

export type ModelEnvironment = Readonly<Record<string, unknown>>;
export type ModelResolver = (context: ModelContext) => Promise<LanguageModelV4>;

const KINDS =
  "demo, script, workers-ai:<id>, openai:<id>, anthropic:<id>, compatible:<id> or gateway:<provider>/<id>";

const MODEL_ID_PATTERN = /^[\x21-\x7e]{1,256}$/;
/** What a header can carry. A key with a line break in it would be shown whole by the runtime's own error. */
const KEY_PATTERN = /^[\x21-\x7e]+$/;

/**
 * The model of a name. Nothing is checked here: what is missing or wrong is thrown as ModelNotConfigured when the model
 * is asked for, so that a Worker without a key starts, and says at its first turn what it needs.
 */
export function resolveModel(name: string, env: ModelEnvironment): ModelResolver {
  return async (context) => {
    const [kind = "", id] = split(name.trim(), ":");
    switch (kind) {
      case "demo":
        if (id === undefined) return demoModel();
        break;
      case "script":
        if (id === undefined) return scriptModel(context);
        break;
      case "workers-ai":
        return workersAiModel(modelId(kind, id), env);
      case "openai":
        return openaiModel(modelId(kind, id), env);
      case "anthropic":
        return anthropicModel(modelId(kind, id), env);
      case "compatible":
        return compatibleModel(modelId(kind, id), env);
      case "gateway":
        return gatewayModel(modelId(kind, id), env);
    }
    throw new ModelNotConfigured(`MODEL names no model. Set MODEL to ${KINDS}.`);
  };
}

async function workersAiModel(id: string, env: ModelEnvironment): Promise<LanguageModelV4> {
  const binding = env["AI"];
  if (!isAiBinding(binding)) {
    throw new ModelNotConfigured(
      'MODEL=workers-ai:<id> needs the binding AI. Add `[ai]` with `binding = "AI"` to wrangler.toml.',
    );
  }
  return createWorkersAI({ binding })(id);
}

async function openaiModel(id: string, env: ModelEnvironment): Promise<LanguageModelV4> {
  const apiKey = neededKey(env, "OPENAI_API_KEY", "openai:<id>");
  const baseURL = optionalUrl(env, "OPENAI_BASE_URL") ?? "https://api.openai.com/v1";
  return createOpenAI({ apiKey, baseURL }).languageModel(id);
}

async function anthropicModel(id: string, env: ModelEnvironment): Promise<LanguageModelV4> {
  const apiKey = neededKey(env, "ANTHROPIC_API_KEY", "anthropic:<id>");
  const baseURL = optionalUrl(env, "ANTHROPIC_BASE_URL") ?? "https://api.anthropic.com/v1";
  return createAnthropic({ apiKey, baseURL }).languageModel(id);
}

async function compatibleModel(id: string, env: ModelEnvironment): Promise<LanguageModelV4> {
  const baseURL = optionalUrl(env, "COMPATIBLE_BASE_URL");
  if (baseURL === undefined) {
    throw new ModelNotConfigured(
      `MODEL=compatible:<id> needs COMPATIBLE_BASE_URL, the URL before /chat/completions. ${asVariable("COMPATIBLE_BASE_URL")}`,
    );
  }
  // Without a key: a server of one's own often asks for none.
  const apiKey = optionalKey(env, "COMPATIBLE_API_KEY");
  return chatCompletionsModel({ name: "compatible", id, baseURL, apiKey, headers: {} });
}

/** AI Gateway's OpenAI-compatible endpoint: https://developers.cloudflare.com/ai-gateway/usage/chat-completion/ */
async function gatewayModel(id: string, env: ModelEnvironment): Promise<LanguageModelV4> {
  const [provider, rest] = split(id, "/");
  if (provider === "" || rest === undefined || rest === "") {
    throw new ModelNotConfigured(
      "MODEL=gateway: needs a provider and a model, as in gateway:<provider>/<id>.",
    );
  }
  const token = optionalKey(env, "GATEWAY_TOKEN");
  const apiKey = optionalKey(env, "GATEWAY_API_KEY");
  if (token === undefined && apiKey === undefined) {
    throw new ModelNotConfigured(
      `MODEL=gateway:<provider>/<id> needs GATEWAY_TOKEN, the gateway's own token, where it keeps the provider's key or bills for it; or GATEWAY_API_KEY, the provider's key; or both. ${asSecret("GATEWAY_TOKEN")}`,
    );
  }
  return chatCompletionsModel({
    name: "gateway",
    id,
    baseURL: optionalUrl(env, "GATEWAY_BASE_URL") ?? gatewayUrl(env),
    apiKey,
    headers: token === undefined ? {} : { "cf-aig-authorization": `Bearer ${token}` },
  });
}

function gatewayUrl(env: ModelEnvironment): string {
  const account = neededVariable(env, "GATEWAY_ACCOUNT_ID", "gateway:<provider>/<id>");
  const gateway = neededVariable(env, "GATEWAY_ID", "gateway:<provider>/<id>");
  return `https://gateway.ai.cloudflare.com/v1/${encodeURIComponent(account)}/${encodeURIComponent(gateway)}/compat`;
}

interface ChatCompletionsEndpoint {
  readonly name: string;
  readonly id: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly headers: Record<string, string>;
}

async function chatCompletionsModel(endpoint: ChatCompletionsEndpoint): Promise<LanguageModelV4> {
  const { name, id, baseURL, apiKey, headers } = endpoint;
  return createOpenAICompatible({
    name,
    baseURL,
    headers,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
  }).languageModel(id);
}

function modelId(kind: string, id: string | undefined): string {
  if (id !== undefined && MODEL_ID_PATTERN.test(id)) return id;
  throw new ModelNotConfigured(
    `MODEL=${kind}: needs the id of a model after the colon, 1 to 256 visible ASCII characters. Set MODEL to ${KINDS}.`,
  );
}

function neededKey(env: ModelEnvironment, name: string, form: string): string {
  const key = optionalKey(env, name);
  if (key !== undefined) return key;
  throw new ModelNotConfigured(`MODEL=${form} needs ${name}. ${asSecret(name)}`);
}

function optionalKey(env: ModelEnvironment, name: string): string | undefined {
  const key = setting(env, name);
  if (key === undefined || KEY_PATTERN.test(key)) return key;
  throw new ModelNotConfigured(
    `${name} holds a character that no key has, such as a line break or a space. ${asSecret(name)}`,
  );
}

function neededVariable(env: ModelEnvironment, name: string, form: string): string {
  const value = setting(env, name);
  if (value !== undefined) return value;
  throw new ModelNotConfigured(`MODEL=${form} needs ${name}. ${asVariable(name)}`);
}

function optionalUrl(env: ModelEnvironment, name: string): string | undefined {
  const value = setting(env, name);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol)) return value.replace(/\/+$/, "");
  throw new ModelNotConfigured(
    `${name} is no URL that starts with http:// or https://. ${asVariable(name)}`,
  );
}

/** A variable's text without outer white space, which a paste brings along; undefined where it is unset or blank. */
function setting(env: ModelEnvironment, name: string): string | undefined {
  const value = env[name];
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

function asSecret(name: string): string {
  return `Set it with \`npx wrangler secret put ${name}\`, or in development by a line ${name}=… in .dev.vars.`;
}

function asVariable(name: string): string {
  return `Set it under \`[vars]\` in wrangler.toml, or in development by a line ${name}=… in .dev.vars.`;
}

function isAiBinding(value: unknown): value is Ai {
  return (
    typeof value === "object" && value !== null && "run" in value && typeof value.run === "function"
  );
}

function split(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
