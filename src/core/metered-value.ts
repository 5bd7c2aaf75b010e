/**
 * Owns: counting what a check reads of a value. The validator has no budget: at each schema that it tries it lists all names
 * of an object, and for `uniqueItems` it compares each item with each, member by member.
 */

import { isJsonObject, type Json } from "./json.ts";
import { SCHEMA_COMPARED_A_STEP, SCHEMA_NAMES_A_STEP, SCHEMA_SMALL_OBJECT } from "./limits.ts";
import { type Meter, StepsExhausted } from "./pattern.ts";

interface Metered {
  readonly value: Json;
  /** Members and items, at all levels: what comparing it may read. */
  readonly size: number;
}

/** A copy of the value that reads like it. A read for which the meter has no steps left throws StepsExhausted. */
export function meteredValue(value: Json, meter: Meter): Json {
  const spend = (steps: number): void => {
    if (meter.left < steps) throw new StepsExhausted();
    meter.left -= steps;
  };

  const meteredList = (list: readonly Json[]): Metered => {
    const items = list.map(metered);
    const reading: ProxyHandler<Json[]> = {
      get(target, name, receiver) {
        const item = typeof name === "string" ? items[Number(name)] : undefined;
        if (item !== undefined) spend((1 + item.size) / SCHEMA_COMPARED_A_STEP);
        else if (name === "length") spend(items.length / SCHEMA_COMPARED_A_STEP);
        return Reflect.get(target, name, receiver) as unknown;
      },
    };
    const copy = items.map((item) => item.value);
    return { value: new Proxy(copy, reading), size: sizeOf(items) };
  };

  const meteredObject = (object: Readonly<Record<string, Json | undefined>>): Metered => {
    const members = Object.entries(object).map(
      ([name, member]) => [name, metered(member as Json)] as const,
    );
    const copy = Object.fromEntries(members.map(([name, member]) => [name, member.value]));
    const size = sizeOf(members.map(([, member]) => member));
    // To list a few names costs no more than a step does; and through a proxy it costs many times as much.
    if (members.length <= SCHEMA_SMALL_OBJECT) return { value: copy, size };
    const listing: ProxyHandler<typeof copy> = {
      ownKeys(target) {
        spend(members.length / SCHEMA_NAMES_A_STEP);
        return Reflect.ownKeys(target);
      },
    };
    return { value: new Proxy(copy, listing), size };
  };

  const metered = (part: Json): Metered => {
    if (Array.isArray(part)) return meteredList(part as Json[]);
    return isJsonObject(part) ? meteredObject(part) : { value: part, size: 0 };
  };
  return metered(value).value;
}

function sizeOf(parts: readonly Metered[]): number {
  return parts.reduce((sum, { size }) => sum + 1 + size, 0);
}
