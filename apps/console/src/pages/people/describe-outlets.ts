import type { PublicOutlet } from "@lango/contracts";

type Placed = { is_hq: boolean; is_hq_user: boolean; outlet_ids: readonly string[] };
type Words = {
	headquarters: string;
	everyOutlet: string;
	noOutlet: string;
	moreOutlets: (first: string, count: number) => string;
};

const shownMax = 2;

/**
 * Describes the outlets of a member in a few words. `outlets` are those that are not archived; undefined
 * while they load. In a tenant with one active outlet, every member has that one.
 */
export function describeOutlets(
	{ is_hq, is_hq_user, outlet_ids }: Placed,
	outlets: readonly Pick<PublicOutlet, "id" | "name" | "status">[] | undefined,
	words: Words,
): string {
	if (is_hq) return words.headquarters;
	if (is_hq_user) return words.everyOutlet;
	if (outlets === undefined) return "";
	const active = outlets.filter(({ status }) => status === "active");
	const own = active.length === 1 ? active : outlets.filter(({ id }) => outlet_ids.includes(id));
	const names = own.map(({ name }) => name);
	const [first] = names;
	if (first === undefined) return active.length === 0 ? words.everyOutlet : words.noOutlet;
	return names.length <= shownMax ? names.join(", ") : words.moreOutlets(first, names.length - 1);
}
