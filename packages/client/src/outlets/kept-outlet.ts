import type { Means } from "../means.ts";

/** How many outlets are remembered as last used. */
const lastUsedMax = 20;

/** The outlet of this tab as the storage has it, under `{service}-selected-outlet-id` (§5.15). */
export function keepOutlet({ service, tab }: Pick<Means, "service" | "tab">) {
	const key = `${service?.name}-selected-outlet-id`;
	const lastUsedKey = `${service?.name}-last-used-outlet-ids`;
	const lastUsed = () => (tab.get(lastUsedKey) ?? "").split(",").filter((id) => id !== "");
	return {
		get: () => tab.get(key),
		/** The outlets that were worked at, the latest first. */
		lastUsed,
		set(outletId: string) {
			tab.set(key, outletId);
			if (outletId === "all") return;
			const others = lastUsed().filter((id) => id !== outletId);
			tab.set(lastUsedKey, [outletId, ...others].slice(0, lastUsedMax).join(","));
		},
		clear() {
			tab.remove(key);
			tab.remove(lastUsedKey);
		},
	};
}
