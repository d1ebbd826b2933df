import { expect, test } from "vitest";
import { checkPack, readPack } from "./pack-form.ts";

const words = { code: "code", segments: "segments", currency: "currency", price: "price" };
const right = { code: "sms_500", segments: "500", currency: "KES", price_minor: "450.50" };
function form(fields: Partial<typeof right>): FormData {
	const entered = new FormData();
	for (const [name, value] of Object.entries({ ...right, ...fields })) entered.append(name, value);
	return entered;
}

test("a price is read in the minor units of its currency, and a currency in small letters is meant as it is", () => {
	expect(readPack(form({}))).toEqual({
		...{ code: "sms_500", segments: 500, price_minor: 45_050, currency: "KES" },
	});
	expect(readPack(form({ currency: "ugx", price_minor: "9000" }))).toMatchObject({
		...{ price_minor: 9_000, currency: "UGX" },
	});
	expect(checkPack(form({}), words)).toEqual([]);
});

test.each<[keyof typeof right, string]>([
	...["", "SMS_500", "5_sms", "sms 500"].map((text): [keyof typeof right, string] => ["code", text]),
	...["", "0", "-1", "1.5", "many", "10000001"].map((text): [keyof typeof right, string] => [
		"segments",
		text,
	]),
	...["", "KE", "K€S"].map((text): [keyof typeof right, string] => ["currency", text]),
	...["", "0", "free", "1.005", "10000000.01"].map((text): [keyof typeof right, string] => [
		"price_minor",
		text,
	]),
])("the %s %j is refused at its field", (field, text) => {
	expect(checkPack(form({ [field]: text }), words).map((error) => error.field)).toEqual([field]);
});
