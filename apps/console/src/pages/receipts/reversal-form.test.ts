import { expect, test } from "vitest";
import { checkReversal, readReversal } from "./reversal-form.ts";

const words = { numberInvalid: "receipt", amountInvalid: "amount_minor", reasonMissing: "remarks" };
const entered = (fields: Record<string, string>) => {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
};
const whole = { receipt: "sgl91 xyz12", amount_minor: "", remarks: "Paid twice" };

test.each([
	[{ receipt: "SGL-1" }, "receipt"],
	[{ receipt: "" }, "receipt"],
	[{ amount_minor: "12.50" }, "amount_minor"],
	[{ amount_minor: "0" }, "amount_minor"],
	[{ remarks: " " }, "remarks"],
])("%j is refused at its field", (change, field) => {
	expect(checkReversal(entered({ ...whole, ...change }), words)).toEqual([{ message: field, field }]);
});

test("a receipt number is sent in capital letters without spaces, and an amount only if there is one", () => {
	expect(checkReversal(entered(whole), words)).toEqual([]);
	expect(readReversal(entered(whole))).toEqual({ receipt: "SGL91XYZ12", remarks: "Paid twice" });
	expect(readReversal(entered({ ...whole, amount_minor: "50" }))).toMatchObject({ amount_minor: 5_000 });
});
