import type { TSchema } from "typebox";
import type { Adapter } from "../provider.ts";
import { smtp } from "./adapters/smtp.ts";

/** An adapter whatever its credentials and its connection: both come from the same account. */
// biome-ignore lint/suspicious/noExplicitAny: the types of different adapters have nothing in common
export type AnyAdapter = Adapter<TSchema, any>;

/** Every kind of provider. */
export const adapters: readonly AnyAdapter[] = [smtp as AnyAdapter];

/** Returns the adapter of a kind; undefined if there is none. */
export const findAdapter = (kind: string): AnyAdapter | undefined =>
	adapters.find((adapter) => adapter.kind === kind);
