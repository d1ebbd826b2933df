import { expect, test } from "vitest";
import { reasonOf } from "../../failure-codes/failure-reason.ts";
import { tables as failures } from "../../failure-codes/texts.ts";
import { promptEndOf } from "./pay-by-phone.tsx";
import { tables } from "./texts.ts";

test.each([
	["succeeded", null, "The phone has paid. Something is still to be paid."],
	["expired", null, "The phone did not answer."],
	["cancelled", "1032", "The request was cancelled on the phone. Nothing was charged."],
	["failed", "2001", "The PIN was wrong. Nothing was charged."],
	["rejected", "400.002.02", "The gateway refused it (code 400.002.02). Nothing was charged."],
])("of a prompt that is %s with the code %s the page says: %s", (status, code, text) => {
	const last = { status, failure_code: code };
	expect(promptEndOf(tables.en, last, (one) => reasonOf(failures.en, "payment", one))).toBe(text);
});
