import { AsyncLocalStorage } from "node:async_hooks";

/** Whose rows a piece of work may touch: those of every outlet, or those of the listed ones. Rows of no outlet are not restricted. */
export type OutletScope = "all" | readonly string[];

/**
 * The value of the SQL parameter of `withinOutlets`: null for every row, else the outlets whose rows match. A null in the list
 * stands for rows of no outlet.
 */
export type OutletFilter = ReadonlyArray<string | null> | null;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The value of `app.outlet_ids` that stands for every outlet. */
const every = "*";

const scopes = new AsyncLocalStorage<string>();

/**
 * Runs `work` so that every `inTenant` in it sees only rows of these outlets and rows of no outlet, in tables that have the
 * restrictive policy on `app.outlet_ids`. Outside of it (jobs, event consumers, seeds) every outlet is seen. Throws an Error when
 * an id is no UUID.
 */
export function withOutletScope<T>(scope: OutletScope, work: () => T): T {
	return scopes.run(scope === "all" ? every : listOf(scope), work);
}

function listOf(outletIds: readonly string[]): string {
	if (!outletIds.every((id) => uuid.test(id))) throw new Error("an outlet scope lists UUIDs");
	return outletIds.join(",").toLowerCase();
}

/** The value of `app.outlet_ids` for a transaction that begins now. */
export const currentOutletIds = (): string => scopes.getStore() ?? every;

/**
 * The SQL condition that a row is within the caller's outlets: `column` is the row's outlet id, `parameter` the placeholder of an
 * `OutletFilter` ("$3"). Every statement on a table with `outlet_id` has it.
 */
export const withinOutlets = (column: string, parameter: `$${number}`): string =>
	`(${parameter}::uuid[] is null or ${column} = any (${parameter}) or (${column} is null and array_position(${parameter}, null) is not null))`;
