import { expect, test } from "vitest";
import { createIds } from "../record/ids.ts";
import { createFaults, type FaultRule } from "./faults.ts";

const faultsWith = (...rules: FaultRule[]) => {
	const faults = createFaults(createIds("seed"));
	faults.set(rules);
	return faults;
};
const call = (ordinal: number, operation = "push") => ({ operation, ordinal, faults: ["drop", "delay"] });

test("a rule applies to its operation and faults only, and as often as its count says", () => {
	const faults = faultsWith({ operation: "push", fault: "drop", count: 2 }, { fault: "forge" });
	expect(faults.take(call(1, "payout"))).toBeUndefined();
	expect([1, 2, 3].map((ordinal) => faults.take(call(ordinal))?.fault)).toEqual(["drop", "drop", undefined]);
	expect(faults.rules()).toEqual([{ operation: "push", fault: "drop", count: 0 }, { fault: "forge" }]);
});

test("a probability chooses about its share of the calls, the same ones for the same seed", () => {
	const chosen = () => {
		const faults = faultsWith({ fault: "delay", probability: 0.25 });
		return Array.from({ length: 400 }, (_, ordinal) => faults.take(call(ordinal)) !== undefined);
	};
	const share = chosen().filter(Boolean).length;
	expect(share).toBeGreaterThan(70);
	expect(share).toBeLessThan(130);
	expect(chosen()).toEqual(chosen());
});

test("of several rules that apply, the first counts", () => {
	const faults = faultsWith({ fault: "delay", count: 1 }, { fault: "drop" });
	expect([1, 2].map((ordinal) => faults.take(call(ordinal))?.fault)).toEqual(["delay", "drop"]);
});
