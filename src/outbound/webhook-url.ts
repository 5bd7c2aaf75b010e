/**
 * Owns: where a webhook may go: whether an address may be called at all, judged by what it says. Does not own: what a name
 * resolves to, which only the platform sees; on Workers a request leaves to the public internet alone.
 */

import ipaddr from "ipaddr.js";
import { WEBHOOK_PORT_MIN, WEBHOOK_URL_CHARACTERS } from "../core/limits.ts";

/** Names that lead nowhere but into a machine or a network of somebody's own. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|localdomain|internal|home\.arpa)$/;

/** Of IPv6 only this block is given to hosts of the public internet. */
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

/** A cloud's own service, for its machines alone, at an address that looks public. */
const AZURE_HOST = "168.63.129.16";

const NOT_PUBLIC = "must lead to the public internet: its address is not a public one";

/**
 * What is wrong with an address, to stand after its name; undefined where a webhook may go there. It never repeats the
 * address. `development` is the machine of a developer: loopback and plain http are allowed there.
 */
export function checkWebhookUrl(text: string, development: boolean): string | undefined {
  if (text.length > WEBHOOK_URL_CHARACTERS)
    return `must be at most ${WEBHOOK_URL_CHARACTERS} characters`;
  // The parser of `fetch` itself: it makes one spelling of decimal, octal, hex, short, wide and escaped ones.
  const url = URL.parse(text);
  if (url === null) return "must be a whole URL, such as https://example.com/hooks";
  if (url.protocol !== "https:" && !(development && url.protocol === "http:"))
    return "must begin with https://";
  if (url.username !== "" || url.password !== "")
    return "must not hold a user name or a password: the signature says who sends";
  // Without the dot that marks a name as complete.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (development && isLoopback(host)) return undefined;
  if (url.port !== "" && Number(url.port) < WEBHOOK_PORT_MIN)
    return `must have no port, or one from ${WEBHOOK_PORT_MIN} on`;
  if (ipaddr.isValid(host)) return isPublic(host) ? undefined : NOT_PUBLIC;
  return checkName(host);
}

function isLoopback(host: string): boolean {
  // An IPv4 address in IPv6 clothes is what it is.
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === "loopback";
  return /(?:^|\.)localhost$/.test(host);
}

function isPublic(host: string): boolean {
  const address = ipaddr.parse(host);
  // Every IPv6 spelling of an IPv4 address is outside of it or in a range with a name: mapped, compatible, NAT64, 6to4.
  if (address.kind() === "ipv6" && !address.match(PUBLIC_IPV6)) return false;
  return address.range() === "unicast" && host !== AZURE_HOST;
}

function checkName(host: string): string | undefined {
  if (PRIVATE_NAMES.test(host)) return "must lead to the public internet: its name is a local one";
  const labels = host.split(".");
  return labels.length === 1 || labels.includes("")
    ? "must have a full name for a host, such as example.com"
    : undefined;
}
