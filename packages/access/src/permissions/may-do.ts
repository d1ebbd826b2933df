import { type Action, actions } from "@lango/contracts";
import { readPermission } from "./permission.ts";

/**
 * The actions that include an action besides itself: `manage` all of its module, `manage_own` all `_own`
 * actions, an action its `_own`.
 */
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

/** A cache: the routes of a program need only a few dozen codes. */
const grantors = new Map<string, readonly string[]>();
const grantorsMax = 5_000;

/**
 * Whether a list of permissions includes the needed one. Throws an Error if `needed` is not a permission
 * code.
 */
export function mayDo(held: readonly string[], needed: string): boolean {
	const suffices = grantors.get(needed) ?? learn(needed);
	return held.some((code) => suffices.includes(code));
}

/**
 * Returns the permissions that both lists grant, sorted: `manage` in one and `view` in the other give `view`,
 * `manage_own` and `change` give `change_own`. Canonical codes (`catalog:view`) grant only themselves. Throws
 * an Error for an invalid permission code.
 */
export function permissionsInBoth(some: readonly string[], others: readonly string[]): readonly string[] {
	const isIn = (held: readonly string[], code: string) =>
		code.includes(":") ? held.includes(code) : mayDo(held, code);
	const candidates = new Set([...some, ...others].flatMap((code) => [code, ...ownCodes(code)]));
	return [...candidates].filter((code) => isIn(some, code) && isIn(others, code)).sort();
}

const ownedActions = actions.filter((action) => grantedBy[action].includes("manage_own"));

/**
 * The `_own` codes that `manage_own` includes: the only codes that two lists can share although neither names
 * them.
 */
function ownCodes(code: string): string[] {
	if (!code.endsWith(".manage_own")) return [];
	const module = code.slice(0, code.lastIndexOf("."));
	return ownedActions.map((action) => `${module}.${action}`);
}

function learn(needed: string): readonly string[] {
	const { service, module, action } = readPermission(needed);
	const codes = [needed, ...grantedBy[action].map((one) => `${service}.${module}.${one}`)];
	if (grantors.size < grantorsMax) grantors.set(needed, codes);
	return codes;
}
