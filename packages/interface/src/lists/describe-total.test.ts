import { expect, test } from "vitest";
import { wordTables } from "../texts/words.ts";
import { describeTotal } from "./describe-total.ts";

const { moreThan } = wordTables.en;
const format = (count: number) => count.toLocaleString("en-KE");

test.each([
	["not known", undefined, undefined],
	["at the limit of counting", 10_000, "10,000"],
	["above the limit of counting", 10_001, "more than 10,000"],
])("a total that is %s is shown so", (_, total, text) => {
	expect(describeTotal(total, { format, moreThan })).toBe(text);
});
