import type { TSchema } from "typebox";
import type { Adapter } from "../provider.ts";
import { smtp } from "./adapters/smtp.ts";

/** An adapter whatever its credentials and its connection: both come from the same account. */
export type AnyAdapter = Adapter<TSchema, unknown>;

/** Every kind of provider. */
export const adapters: readonly AnyAdapter[] = [smtp];

/** Returns the adapter of a kind; undefined if there is none. */
export const findAdapter = (kind: string): AnyAdapter | undefined =>
	adapters.find((adapter) => adapter.kind === kind);
