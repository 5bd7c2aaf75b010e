import ipaddr from "ipaddr.js";
import { expect, it } from "vitest";
import { checkWebhookUrl } from "../../src/outbound/webhook-url.ts";
import { HOSTILE_URLS, PUBLIC_URLS } from "./hostile-urls.ts";

it.for(HOSTILE_URLS)("refuses %j", (url) => {
  const issue = checkWebhookUrl(url, false);
  expect(issue).toMatch(/^must /);
  const { hostname = "" } = URL.parse(url) ?? {};
  if (hostname !== "" && hostname !== "example.com") expect(issue).not.toContain(hostname);
});

it.for(PUBLIC_URLS)("accepts %j", (url) => {
  expect(checkWebhookUrl(url, false)).toBeUndefined();
  expect(checkWebhookUrl(url, true)).toBeUndefined();
});

const PRIVATE_BLOCKS = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

it.for(PRIVATE_BLOCKS)("refuses each spelling of the first and the last address of %s", (block) => {
  const [network, bits] = ipaddr.IPv4.parseCIDR(block);
  const first = network.toByteArray().reduce((number, octet) => number * 256 + octet, 0);
  for (const number of [first, first + 2 ** (32 - bits) - 1])
    for (const url of spellings(number)) {
      expect(URL.parse(url), url).not.toBeNull();
      expect(checkWebhookUrl(url, false), url).toMatch(/^must lead to the public internet/);
    }
});

/** One IPv4 address in all the ways that a URL can say it. */
function spellings(number: number): string[] {
  const [a, b, c, d] = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255) as [
    number,
    number,
    number,
    number,
  ];
  const hex = (octet: number) => `0x${octet.toString(16)}`;
  const octal = (octet: number) => `0${octet.toString(8)}`;
  const low = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const dotted = [a, b, c, d].join(".");
  const wide = dotted.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  return [
    dotted,
    `${dotted}.`,
    wide,
    String(number),
    hex(number),
    octal(number),
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map(octal).join("."),
    [hex(a), octal(b), c, hex(d)].join("."),
    `${a}.${number & 0xff_ffff}`,
    `${a}.${b}.${number & 0xffff}`,
    `[::ffff:${low}]`,
    `[::ffff:${dotted}]`,
    `[::${low}]`,
    `[::ffff:0:${low}]`,
    `[64:ff9b::${dotted}]`,
    `[2002:${low}::1]`,
  ].map((host) => `https://${host}/hooks`);
}

it("allows loopback, and http, on the machine of a developer", () => {
  for (const url of [
    "http://localhost:3000/hooks",
    "http://127.0.0.1:80",
    "https://127.0.0.1",
    "http://[::1]:9000",
    "http://[::ffff:127.0.0.1]",
    "http://hooks.localhost:8787",
    "http://example.com/hooks",
  ]) {
    expect(checkWebhookUrl(url, true), url).toBeUndefined();
    expect(checkWebhookUrl(url, false), url).toMatch(/^must /);
  }
});

it("refuses all else on the machine of a developer too", () => {
  for (const url of [
    "http://10.0.0.1",
    "http://169.254.169.254",
    "http://[::ffff:10.0.0.1]",
    "http://0.0.0.0:3000",
    "http://printer.local",
    "http://user@localhost",
    "http://localhost..",
    "ftp://localhost",
  ])
    expect(checkWebhookUrl(url, true), url).toMatch(/^must /);
});
