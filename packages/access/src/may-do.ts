import type { Action } from "@lango/contracts";
import { readPermission } from "./permission.ts";

/** What grants an action besides itself: `manage` all of its module, `manage_own` all `_own` of it, an action its `_own`. */
const grantedBy: Readonly<Record<Action, readonly Action[]>> = {
	add: ["manage"],
	view: ["manage"],
	view_own: ["view", "manage_own", "manage"],
	change: ["manage"],
	change_own: ["change", "manage_own", "manage"],
	delete: ["manage"],
	delete_own: ["delete", "manage_own", "manage"],
	manage: [],
	manage_own: ["manage"],
};

/** The routes of a program name a few dozen codes, so each is worked out once. */
const grantors = new Map<string, readonly string[]>();
const grantorsMax = 5_000;

/** Whether these permissions allow that one. Throws an Error when `needed` is no permission code. */
export function mayDo(held: readonly string[], needed: string): boolean {
	const suffices = grantors.get(needed) ?? learn(needed);
	return held.some((code) => suffices.includes(code));
}

function learn(needed: string): readonly string[] {
	const { service, module, action } = readPermission(needed);
	const codes = [needed, ...grantedBy[action].map((one) => `${service}.${module}.${one}`)];
	if (grantors.size < grantorsMax) grantors.set(needed, codes);
	return codes;
}
