import { expect, test } from "vitest";
import {
	describeCondition,
	describeDelay,
	describeDigest,
	describeRecipient,
	describeValue,
	nameOfRule,
} from "./describe-trigger.ts";
import { english as words } from "./texts-english.ts";

test("a rule of the platform is named by its event, one of the tenant by its name", () => {
	const rule = { name: "isp.credit.low isp/low_credit_alert", event: "isp.credit.low" };
	expect(nameOfRule({ ...rule, is_platform: true }, words)).toBe("Internet provider: SMS credit is low");
	expect(nameOfRule({ ...rule, name: "Mine", is_platform: false }, words)).toBe("Mine");
});

test.each([
	["treasury.card.expiring", "A card that pays bills expires soon"],
	["treasury.standing_order.changed", "A standing order changed"],
])("the rule of the platform for %s is named in words", (event, name) => {
	expect(nameOfRule({ name: event, event, is_platform: true }, words)).toBe(name);
});

test("a delay is named in the largest unit that fits", () => {
	expect([0, 90, 5_400, 3_600, 172_800].map((seconds) => describeDelay(seconds, words))).toEqual([
		...["At once", "90 seconds after the event", "90 minutes after the event"],
		...["1 hour after the event", "2 days after the event"],
	]);
});

test("a digest is described with its time, its largest number and its key", () => {
	const weekly = { weekly_at: { day: "friday", at: "16:30" }, items_max: 5, key: "event.project" };
	expect(describeDigest(weekly, words)).toBe(
		"Every Friday at 16:30, at 5 messages at the latest, one for each value of event.project",
	);
	expect(describeDigest(null, words)).toBe(words.noDigest);
});

test("conditions, values and recipients are described in words", () => {
	const say = (op: "in" | "exists" | "eq", value: string[] | boolean) =>
		describeCondition({ path: "event.a", op, value }, words);
	expect([say("in", ["x", "y"]), say("exists", false), say("eq", true)]).toEqual([
		...["event.a is one of x, y", "event.a is missing", "event.a is Yes"],
	]);
	expect(describeValue({ money: ["event.a", "event.b"] }, words)).toBe("Amount: event.a, currency: event.b");
	expect(describeValue({ from: "recipient.name" }, words)).toBe("Name of the recipient");
	const about = { words, people: [{ user_id: "u", name: "Asha" }], roleOf: () => "Administrator" };
	expect(["role:admin", "user:u", "user:v", "platform"].map((one) => describeRecipient(one, about))).toEqual([
		...["Everybody with the role Administrator", "Asha", words.unknownPerson, "The platform owner"],
	]);
});
