import { useState } from "react";
import { endOfDay, startOfDay } from "../tenant/day-in-zone.ts";
import { useZone } from "../tenant/use-tenant.ts";

/** The filters of a list, which are in the address of its page. */
export type AddressFilter<Name extends string = string> = {
	filter: Partial<Record<Name, string>>;
	/** The filters as a request has them: days as the times at which they start and end. */
	query: Partial<Record<Name, string>>;
	isFiltered: boolean;
	/** Changes one filter; "" removes it. */
	set: (name: Name, value: string) => void;
	removeAll: () => void;
	/** How often all filters were removed. */
	removals: number;
};

/** The filters of a list. `open` opens the page with other filters, in place of the present ones. */
export function useAddressFilter<Name extends string>(
	filter: Partial<Record<Name, string>>,
	open: (filter: Partial<Record<Name, string>>) => unknown,
): AddressFilter<Name> {
	const timeZone = useZone();
	const [removals, setRemovals] = useState(0);
	const given = (Object.entries(filter) as Array<[Name, string | undefined]>).filter(
		(entry): entry is [Name, string] => entry[1] !== undefined && entry[1] !== "",
	);
	const toQuery = (name: string, value: string) => {
		if (name === "from") return startOfDay(value, timeZone)?.toISOString();
		return name === "to" ? endOfDay(value, timeZone)?.toISOString() : value;
	};
	return {
		...{ filter, removals, isFiltered: given.length > 0 },
		query: Object.fromEntries(given.map(([name, value]) => [name, toQuery(name, value)])) as typeof filter,
		set: (name, value) => {
			const others = given.filter(([one]) => one !== name);
			open(Object.fromEntries(value === "" ? others : [...others, [name, value]]) as typeof filter);
		},
		removeAll: () => {
			setRemovals(removals + 1);
			open({});
		},
	};
}
