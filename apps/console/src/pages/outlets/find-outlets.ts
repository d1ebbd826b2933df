import type { PublicOutlet } from "@lango/contracts";
import { findRows } from "@lango/interface";

/** Which outlets are shown. "open" means all that are not archived. */
export const shownKinds = ["open", "archived", "all"] as const;

type Findable = Pick<PublicOutlet, "name" | "code" | "status">;

/** The text of an outlet that is searched. */
export const outletText = ({ name, code }: Pick<PublicOutlet, "name" | "code">) => `${name} ${code}`;

/** Whether an outlet is among those that are shown. */
export function isShown({ status }: Pick<PublicOutlet, "status">, shown: string): boolean {
	return shown === "all" || (status === "archived") === (shown === "archived");
}

/** The open outlets whose name or code contains the search text, ignoring case. */
export const findOpenOutlets = <T extends Findable>(outlets: readonly T[], search: string): readonly T[] =>
	findRows(
		outlets.filter((outlet) => isShown(outlet, "open")),
		search,
		outletText,
	);
