import Type from "typebox";
import type { Ids } from "../record/ids.ts";

/** A rule: the fault happens to calls of the operation (missing: of any), at most `count` times. */
export type FaultRule = {
	operation?: string;
	fault: string;
	/** How often it happens; missing: without end. */
	count?: number;
	/** The share of the calls to which it happens, chosen by the seed; missing: 1. */
	probability?: number;
	/** The duration of a fault that has one. */
	ms?: number;
};

/** The rules of one sandbox. */
export type Faults = {
	/** `count` is what is left of it. */
	rules(): readonly FaultRule[];
	/** Replaces the rules. */
	set(rules: readonly FaultRule[]): void;
	/** The first rule of one of these faults that applies to the call; it then counts as having happened. */
	take(call: { operation: string; ordinal: number; faults: readonly string[] }): FaultRule | undefined;
};

/** Faults whose probability follows from the seed of `ids`. */
export function createFaults(ids: Ids): Faults {
	let rules: FaultRule[] = [];
	return {
		rules: () => rules,
		set: (replacing) => {
			rules = [...replacing];
		},
		take: ({ operation, ordinal, faults }) => {
			const index = rules.findIndex(
				(rule, place) =>
					faults.includes(rule.fault) &&
					(rule.operation ?? operation) === operation &&
					rule.count !== 0 &&
					ids.chance(ordinal, `fault ${place} ${operation}`) < (rule.probability ?? 1),
			);
			const rule = rules[index];
			if (rule?.count !== undefined) rules = rules.with(index, { ...rule, count: rule.count - 1 });
			return rule;
		},
	};
}

/** The body of the route that replaces the rules. */
export const faultsShape = ({
	operations,
	faults,
}: {
	operations: readonly string[];
	faults: readonly string[];
}) =>
	Type.Array(
		Type.Object(
			{
				operation: Type.Optional(Type.Enum([...operations], { type: "string" })),
				fault: Type.Enum([...faults], { type: "string" }),
				count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
				probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
				ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
			},
			{ additionalProperties: false },
		),
		{ maxItems: 1000 },
	);
