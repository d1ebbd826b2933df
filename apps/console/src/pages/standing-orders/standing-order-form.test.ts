import { expect, test } from "vitest";
import { checkOrder, readOrder } from "./standing-order-form.ts";
import { tables } from "./texts.ts";

const right = {
	...{ phone: "0712 345 678", amount_minor: "1500", frequency: "monthly", description: "School fees" },
	...{ start_on: "2027-03-01", end_on: "2027-12-31" },
};
const entered = (fields: Record<string, string> = {}) => {
	const form = new FormData();
	for (const [name, value] of Object.entries({ ...right, ...fields })) form.set(name, value);
	return form;
};
const fieldsOf = (fields: Record<string, string>) =>
	checkOrder(entered(fields), { today: "2027-03-01", words: tables.en }).map(({ field }) => field);

test.each([
	["a number that is not a phone's", { phone: "12" }, ["phone"]],
	["a part of a shilling", { amount_minor: "1500.50" }, ["amount_minor"]],
	["a day that is over", { start_on: "2027-02-28" }, ["start_on"]],
	["an end before its start", { end_on: "2027-02-28" }, ["end_on"]],
	["no purpose", { description: " " }, ["description"]],
	[
		"nothing",
		{ phone: "", amount_minor: "", start_on: "", end_on: "" },
		["phone", "amount_minor", "start_on", "end_on"],
	],
])("a standing order with %s is refused at its fields", (_what, fields, refused) => {
	expect(fieldsOf(fields)).toEqual(refused);
});

test("a standing order is sent as it was entered", () => {
	expect(fieldsOf({})).toEqual([]);
	expect(readOrder(entered())).toEqual({ ...right, amount_minor: 150_000 });
});
