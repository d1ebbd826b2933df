import { expect, test } from "vitest";
import { checkPage, readPage } from "./payment-page-form.ts";

const words = { nameMissing: "name", descriptionMissing: "description", amountInvalid: "amount_minor" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}
const filled = { name: "School fees", description: "Term one", amount_minor: "" };

test.each([
	[{ name: " " }, "name"],
	[{ description: "" }, "description"],
	[{ amount_minor: "0" }, "amount_minor"],
	[{ amount_minor: "20000000000" }, "amount_minor"],
	[{ amount_minor: "much" }, "amount_minor"],
])("%j is refused at its field", (change, field) => {
	const checked = checkPage(entered({ ...filled, ...change }), { currency: "KES", words });
	expect(checked).toEqual([{ message: field, field }]);
});

test("an amount is sent in lowest units, and none if the payer chooses it", () => {
	expect(checkPage(entered(filled), { currency: "KES", words })).toEqual([]);
	const request = { name: "School fees", description: "Term one", currency: "KES" };
	expect(readPage(entered(filled), "KES")).toEqual(request);
	expect(readPage(entered({ ...filled, amount_minor: "1500.50" }), "KES")).toEqual({
		...{ ...request, amount_minor: 150_050 },
	});
});
