import { AsyncLocalStorage } from "node:async_hooks";
import { isUuid } from "./uuid.ts";

/**
 * The outlets whose rows are accessible: all, or the listed ones. Rows without an outlet are always
 * accessible.
 */
export type OutletScope = "all" | readonly string[];

/**
 * The value of the SQL parameter of `withinOutlets`: null for every row, else the outlets whose rows match. A
 * null in the list includes rows without an outlet.
 */
export type OutletFilter = ReadonlyArray<string | null> | null;

/** The value of `app.outlet_ids` for all outlets. */
const every = "*";

const scopes = new AsyncLocalStorage<string>();

/**
 * Runs `work` so that every `inTenant` in it accesses only rows of these outlets and rows without an outlet,
 * in tables with the restrictive policy on `app.outlet_ids`. Outside of it (jobs, event consumers, seeds),
 * all outlets are accessible. Throws an Error if an id is not a UUID.
 */
export function withOutletScope<T>(scope: OutletScope, work: () => T): T {
	return scopes.run(scope === "all" ? every : listOf(scope), work);
}

function listOf(outletIds: readonly string[]): string {
	if (!outletIds.every(isUuid)) throw new Error("the outlet ids of a scope must be UUIDs");
	return outletIds.join(",").toLowerCase();
}

/** The value of `app.outlet_ids` for a new transaction. */
export const currentOutletIds = (): string => scopes.getStore() ?? every;

/**
 * Returns the SQL condition that a row is within an `OutletFilter`: `column` is the row's outlet id,
 * `parameter` the placeholder of the filter ("$3"). Every statement on a table with `outlet_id` includes it.
 * The planner keeps only the part that applies: an equality for a single outlet, so that an index on the
 * outlet yields its rows in order.
 */
export const withinOutlets = (column: string, parameter: `$${number}`): string =>
	`(${parameter}::uuid[] is null or (cardinality(${parameter}) = 1 and ${column} = (${parameter})[1])
	  or (cardinality(${parameter}) > 1 and ${column} = any (${parameter})) or (${column} is null and array_position(${parameter}, null) is not null))`;
