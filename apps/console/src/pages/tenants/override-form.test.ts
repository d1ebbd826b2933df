import { expect, test } from "vitest";
import { checkGrant } from "./check-grant.ts";
import { checkOverrides, featureField, limitField, readOverrides } from "./override-form.ts";

const codes = { features: ["multi_outlet", "api_webhooks"], limits: ["max_riders", "max_admins"] };
const words = { limit: "limit", because: "because", days: "days" };

function entered(fields: Readonly<Record<string, string>>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	return form;
}

test("values of the plan are omitted; overrides of features, limits and products are read", () => {
	const form = entered({
		[featureField("multi_outlet")]: "off",
		[featureField("api_webhooks")]: "",
		[limitField("max_riders")]: " 40 ",
		[limitField("max_admins")]: "-1",
		products: "pos",
	});
	expect(readOverrides(form, codes)).toEqual({
		features: { multi_outlet: false },
		limits: { max_riders: 40, max_admins: -1 },
		products: ["pos"],
	});
	expect(readOverrides(new FormData(), codes)).toEqual({ features: {}, limits: {}, products: [] });
});

test.each(["4.5", "-2", "many", "2147483648", "1e3"])("a limit of %s is refused at its field", (text) => {
	const set = readOverrides(entered({ [limitField("max_riders")]: text }), codes);
	expect(checkOverrides(set, "a pilot", words)).toEqual([{ field: "limit:max_riders", message: "limit" }]);
});

test("overrides without a reason are refused", () => {
	expect(checkOverrides(readOverrides(new FormData(), codes), "", words).map((error) => error.field)).toEqual(
		["because"],
	);
});

test.each([
	["0", "x", "days"],
	["367", "x", "days"],
	["1.5", "x", "days"],
	["", "x", "days"],
	["14", "", "because"],
])("an extension by %s days with the reason %j is refused at %s", (days, because, field) => {
	expect(checkGrant(days, because, words).map((error) => error.field)).toEqual([field]);
});

test.each(["1", "366"])("an extension by %s days with a reason is accepted", (days) => {
	expect(checkGrant(days, "an outage of ours", words)).toEqual([]);
});
