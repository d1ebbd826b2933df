import { expect, test } from "vitest";
import { checkMethod, readMethod } from "./billing-method-form.ts";

const words = { phoneMissing: "phone", cardMissing: "authorization_id", emailInvalid: "email" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}

test.each([
	[{ kind: "push" }, "phone"],
	[{ kind: "push", phone: " 0712 " }, "phone"],
	[{ kind: "standing_order" }, "phone"],
	[{ kind: "card_subscription" }, "authorization_id"],
	[{ kind: "push", phone: "0712345678", email: "finance" }, "email"],
	[{ kind: "none", email: "finance@" }, "email"],
])("%j is refused at its field", (fields, field) => {
	expect(checkMethod(entered(fields), words)).toEqual([{ message: field, field }]);
});

test("a phone and a card are sent with their method only, and an empty e-mail address is not sent", () => {
	const prompts = entered({ kind: "push", phone: " 0712 345 678 ", email: "" });
	expect(checkMethod(prompts, words)).toEqual([]);
	expect(readMethod(prompts)).toEqual({ kind: "push", phone: "0712 345 678" });
	const byOrder = { kind: "standing_order", phone: "0712 345 678" };
	expect(readMethod(entered({ ...byOrder, authorization_id: "1" }))).toEqual(byOrder);
	const byCard = { kind: "card_subscription", authorization_id: "1" };
	expect(readMethod(entered({ ...byCard, phone: "0712 345 678" }))).toEqual(byCard);
	const byHand = entered({ kind: "none", phone: "0712 345 678", email: "finance@uhai.example" });
	expect(checkMethod(byHand, words)).toEqual([]);
	expect(readMethod(byHand)).toEqual({ kind: "none", email: "finance@uhai.example" });
});
