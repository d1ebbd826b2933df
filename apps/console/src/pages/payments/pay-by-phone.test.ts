import { expect, test } from "vitest";
import { promptEndOf } from "./pay-by-phone.tsx";
import { tables } from "./texts.ts";

test.each([
	["succeeded", "The phone has paid. Something is still to be paid."],
	["cancelled", "The payment was cancelled on the phone."],
	["rejected", "The phone did not pay. Nothing was charged."],
])("of a prompt that is %s the page says: %s", (status, text) => {
	expect(promptEndOf(tables.en, status)).toBe(text);
});
