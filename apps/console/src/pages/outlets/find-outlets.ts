import type { PublicOutlet } from "@lango/contracts";

/** Which outlets are looked at: those in use are all that are not archived. */
export type Shown = "open" | "archived" | "all";

type Findable = Pick<PublicOutlet, "name" | "code" | "status">;

/** Outlets by a part of their name or code, in whatever letters, of those that are shown. */
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
