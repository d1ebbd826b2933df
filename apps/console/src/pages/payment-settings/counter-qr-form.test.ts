import { expect, test } from "vitest";
import { checkQr, readQr } from "./counter-qr-form.ts";

const words = { referenceInvalid: "reference", amountInvalid: "amount_minor" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}
const poster = { reference: "Poster_1-a", amount_minor: "" };

test.each([
	[{ reference: "" }, "reference"],
	[{ reference: "Counter 1" }, "reference"],
	[{ reference: "1234567890123" }, "reference"],
	[{ amount_minor: "0" }, "amount_minor"],
	[{ amount_minor: "12.50" }, "amount_minor"],
	[{ amount_minor: "much" }, "amount_minor"],
])("%j is refused at its field", (change, field) => {
	expect(checkQr(entered({ ...poster, ...change }), words)).toEqual([{ message: field, field }]);
});

test.each([
	["paybill", poster, { reference: "Poster_1-a", trx_code: "PB", size: 600 }],
	[
		"till",
		{ ...poster, amount_minor: "250" },
		{ reference: "Poster_1-a", trx_code: "BG", size: 600, amount_minor: 25_000 },
	],
] as const)("a code of a %s is sent as it was entered", (kind, fields, request) => {
	expect(checkQr(entered(fields), words)).toEqual([]);
	expect(readQr(entered(fields), kind)).toEqual(request);
});
