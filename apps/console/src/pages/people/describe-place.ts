import type { PublicOutlet } from "@lango/contracts";

type Placed = { is_hq: boolean; outlet_ids: readonly string[] };
type Words = {
	headquarters: string;
	noOutlet: string;
	moreOutlets: (first: string, count: number) => string;
};

const shownMax = 2;

/** Where somebody works, in a few words; outlets that are not known, such as archived ones, are left out. */
export function describePlace(
	{ is_hq, outlet_ids }: Placed,
	outlets: readonly Pick<PublicOutlet, "id" | "name">[] | undefined,
	words: Words,
): string {
	if (is_hq) return words.headquarters;
	const names = (outlets ?? []).filter(({ id }) => outlet_ids.includes(id)).map(({ name }) => name);
	const [first] = names;
	if (first === undefined) return outlets === undefined ? "" : words.noOutlet;
	return names.length <= shownMax ? names.join(", ") : words.moreOutlets(first, names.length - 1);
}
