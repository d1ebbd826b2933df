import { endOfDay, startOfDay } from "../tenant/day-in-zone.ts";
import type { FilterField } from "./filter-bar.tsx";

/** Filters as a request has them: the days `from` and `to` as the times at which they start and end. */
export function filterQuery(
	fields: readonly FilterField[],
	filter: Readonly<Partial<Record<string, string>>>,
	timeZone: string,
): Record<string, string | undefined> {
	const chosen = (field: FilterField) =>
		filter[field.name] ?? (field.kind === "select" ? field.fallback : undefined);
	return Object.fromEntries(
		fields.map((field) => {
			const value = chosen(field);
			if (field.kind !== "day" || value === undefined) return [field.name, value];
			const at = field.name === "to" ? endOfDay(value, timeZone) : startOfDay(value, timeZone);
			return [field.name, at?.toISOString()];
		}),
	);
}
