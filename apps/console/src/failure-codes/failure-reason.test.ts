import { expect, test } from "vitest";
import { reasonOf } from "./failure-reason.ts";
import { tables } from "./texts.ts";

test.each([
	["payment", "1", "There is not enough money in the account that pays."],
	["moneyOut", "1", "The paybill or till does not have enough money."],
	["payment", "2001", "The PIN was wrong."],
	["payment", "4711", "The gateway refused it (code 4711)."],
	["moneyOut", "toString", "The gateway refused it (code toString)."],
] as const)("of a %s with the code %s the reason is: %s", (failed, code, reason) => {
	expect(reasonOf(tables.en, failed, code)).toBe(reason);
});
