import type { Ids } from "@lango/sandbox-base";
import type { Kind } from "../record/arrival.ts";
import type { Fault, FaultAction } from "./fault.ts";

/** What is known of a request when a fault is chosen. */
type Seen = {
	kind: Kind;
	ordinal: number;
	/** The number of the request among those of its kind since the rules were set, from 1. */
	nth: number;
	/** Undefined while it has not been read. */
	to?: readonly string[] | undefined;
	/** Subject and text; undefined while they have not been read. */
	text?: string | undefined;
};

/** The rules and the numbers they count by. */
export type Faults = {
	rules(): readonly Fault[];
	/** Replaces the rules; counting starts again. */
	set(rules: readonly Fault[]): void;
	/** Counts a request of this kind and returns its number. */
	count(kind: Kind): number;
	/** The number that the next request of this kind will get. */
	next(kind: Kind): number;
	/**
	 * The action of the first rule that matches; undefined if none does. While the content is not known, a
	 * rule that asks for it leaves the choice `"open"`.
	 */
	choose(seen: Seen): FaultAction | "open" | undefined;
	/** True if a rule takes the whole provider out of service. */
	isDown(kind: Kind): boolean;
};

/** Rules of one sandbox; chance follows from its ids. */
export function createFaults(ids: Ids): Faults {
	let rules: readonly Fault[] = [];
	let counts = new Map<Kind, number>();
	const next = (kind: Kind) => (counts.get(kind) ?? 0) + 1;
	return {
		rules: () => rules,
		set: (replacing) => {
			rules = replacing;
			counts = new Map();
		},
		next,
		count: (kind) => {
			const nth = next(kind);
			counts.set(kind, nth);
			return nth;
		},
		choose: (seen) => {
			for (const [index, rule] of rules.entries()) {
				if (rule.kind !== undefined && rule.kind !== seen.kind) continue;
				const found = isMatch(rule.match, seen, () => ids.chance(seen.ordinal, `fault ${index}`));
				if (found === "open") return "open";
				if (found) return rule.do;
			}
			return undefined;
		},
		isDown: (kind) =>
			rules.some(
				(rule) =>
					(rule.kind === undefined || rule.kind === kind) &&
					"down" in rule.do &&
					"every" in rule.match &&
					rule.match.every === 1,
			),
	};
}

function isMatch(match: Fault["match"], { nth, to, text }: Seen, chance: () => number): boolean | "open" {
	if ("nth" in match) return nth === match.nth;
	if ("every" in match) return nth % match.every === 0;
	if ("chance" in match) return chance() < match.chance;
	if ("text" in match) return text === undefined ? "open" : text.includes(match.text);
	if (to === undefined) return "open";
	return to.some((address) => address.toLowerCase() === match.address.toLowerCase());
}
