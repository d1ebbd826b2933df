import { expect, test } from "vitest";
import { checkAllocation, readAllocation } from "./allocation-form.ts";

const receipt = { currency: "KES", unallocated_minor: 80_000 };
const words = { tenantMissing: "tenant", intentMissing: "intent", amountInvalid: "amount" };
const seen = { intent_id: "one", unallocated_minor: "80000" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries({ ...seen, ...fields })) form.set(name, value);
	return form;
}

test.each([
	[{ intent_id: "" }, "intent_id"],
	[{ intent_id: "", tenant: "" }, "tenant"],
	[{ intent_id: "", tenant: "uhai" }, "intent_id"],
	[{ amount_minor: "0" }, "amount_minor"],
	[{ amount_minor: "800.01" }, "amount_minor"],
	[{ amount_minor: "a lot" }, "amount_minor"],
])("%j is refused at its field", (fields, field) => {
	expect(checkAllocation(entered(fields), { receipt, words }).map((error) => error.field)).toEqual([field]);
});

test.each([
	[{ amount_minor: "" }, { intent_id: "one" }],
	[{ amount_minor: "800" }, { intent_id: "one", amount_minor: 80_000 }],
	[{ amount_minor: "0,29" }, { intent_id: "one", amount_minor: 29 }],
])("of %j is sent %j", (fields, request) => {
	expect(checkAllocation(entered(fields), { receipt, words })).toEqual([]);
	expect(readAllocation(entered(fields), receipt)).toEqual({ ...request, unallocated_minor: 80_000 });
});
