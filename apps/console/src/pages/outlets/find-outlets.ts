import type { PublicOutlet } from "@lango/contracts";

/** Which outlets are shown. "open" means all that are not archived. */
export type Shown = "open" | "archived" | "all";

type Findable = Pick<PublicOutlet, "name" | "code" | "status">;

/** Finds the shown outlets whose name or code contains the search text, ignoring case. */
export function findOutlets<T extends Findable>(
	outlets: readonly T[],
	{ search, shown }: { search: string; shown: Shown },
): T[] {
	const part = search.toLocaleLowerCase();
	return outlets.filter(({ name, code, status }) => {
		const isShown = shown === "all" || (status === "archived") === (shown === "archived");
		return isShown && `${name} ${code}`.toLocaleLowerCase().includes(part);
	});
}
