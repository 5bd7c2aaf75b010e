/**
 * Owns: where in the world a workspace's objects are, and that whoever looks for one looks there. A workspace comes from
 * the caller's authority, from a signed link or from a mail's token, so each of these says where its objects are, too.
 */

import * as z from "zod";
import { workspaceSchema } from "./key.ts";

const placementSchema = z.strictObject({
  /** The objects run and store within it, and are others than those of the same name outside: never changed later. */
  jurisdiction: z.enum(["eu", "fedramp", "fedramp-high", "us"]).optional(),
  /** Near where an object is made when it is first used, if that can be. */
  locationHint: z
    .enum(["wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"])
    .optional(),
});
export type Placement = z.output<typeof placementSchema>;

export const workspacesSchema = z.record(workspaceSchema, placementSchema);

/** The object of this name, where its workspace is placed. */
export function objectAt<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  name: string,
  { jurisdiction, locationHint }: Placement,
): DurableObjectStub<T> {
  const placed = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  return locationHint === undefined
    ? placed.getByName(name)
    : placed.getByName(name, { locationHint });
}
